// The keys of every screen. Actions with the same name on several screens are rebound together; what moves between
// screens works on all of them.

import { type Bindings, bindKeys, type BoundKeys, type KeyRow, type PressedKey, readBinding } from "./bind-keys.ts";

export type { PressedKey } from "./bind-keys.ts";

/** What every screen has. */
const frameBindings = {
  nextScreen: { keys: ["shift+tab"], does: "next screen" },
  showChat: { keys: ["f2"], does: "chat" },
  showControl: { keys: ["f3"], does: "mission control of a run" },
  showTasks: { keys: ["ctrl+t"], does: "tasks of a run" },
  showRuns: { keys: ["f4"], does: "runs of all folders" },
  showEvidence: { keys: ["f5"], does: "evidence for a run's work" },
} as const satisfies Bindings<string>;

const chatBindings = {
  send: { keys: ["enter"], does: "send" },
  newline: { keys: ["alt+enter", "ctrl+j", "shift+enter"], does: "new line" },
  complete: { keys: ["tab"], does: "complete, or focus a question" },
  close: { keys: ["escape"], does: "close what is open; else stop the turn" },
  interrupt: { keys: ["ctrl+c"], does: "stop the turn; idle: clear, then leave" },
  keys: { keys: ["f1"], does: "show these keys (also ? in an empty input)" },
  output: { keys: ["ctrl+o"], does: "show or fold full output and thinking" },
  palette: { keys: ["ctrl+p"], does: "everything by name" },
  find: { keys: ["ctrl+f"], does: "find in the conversation" },
  select: { keys: ["shift+up"], does: "choose a message; y copies it" },
  history: { keys: ["ctrl+r"], does: "search earlier messages" },
  editor: { keys: ["ctrl+g"], does: "edit the message in $EDITOR" },
  pageUp: { keys: ["pageup"], does: "scroll up" },
  pageDown: { keys: ["pagedown"], does: "scroll down" },
  follow: { keys: ["ctrl+end"], does: "back to the newest" },
  up: { keys: ["up"], does: "line up, list up, queued messages" },
  down: { keys: ["down"], does: "line down, list down" },
  moveUp: { keys: ["alt+up"], does: "move a queued message up" },
  moveDown: { keys: ["alt+down"], does: "move a queued message down" },
  remove: { keys: ["delete"], does: "delete forward, or a queued message" },
  left: { keys: ["left"], does: "left" },
  right: { keys: ["right"], does: "right" },
  wordLeft: { keys: ["alt+left", "ctrl+left", "alt+b"], does: "word left" },
  wordRight: { keys: ["alt+right", "ctrl+right", "alt+f"], does: "word right" },
  lineStart: { keys: ["home"], does: "start of the line" },
  lineEnd: { keys: ["end", "ctrl+e"], does: "end of the line" },
  backspace: { keys: ["backspace"], does: "delete backward" },
  deleteWord: { keys: ["ctrl+w", "alt+backspace"], does: "delete the word before" },
  deleteLine: { keys: ["ctrl+u"], does: "delete to the start of the line" },
  deleteRest: { keys: ["ctrl+k"], does: "delete to the end of the line" },
  openPaste: { keys: ["ctrl+x"], does: "open a folded paste at the cursor" },
} as const satisfies Bindings<string>;

/** What can be done to a run, on each screen that shows some. */
const runBindings = {
  answer: { keys: ["a"], does: "answer its questions" },
  pause: { keys: ["p"], does: "pause" },
  resume: { keys: ["r"], does: "resume" },
  cancel: { keys: ["x"], does: "cancel for good" },
} as const satisfies Bindings<string>;

const listBindings = {
  up: { keys: ["up", "k"], does: "up" },
  down: { keys: ["down", "j"], does: "down" },
  pageUp: { keys: ["pageup"], does: "page up; in mission control: far back" },
  pageDown: { keys: ["pagedown"], does: "page down; in mission control: far forward" },
  close: { keys: ["escape"], does: "close what is open; else back to the chat" },
  keys: { keys: ["f1", "?"], does: "show these keys" },
  interrupt: { keys: ["ctrl+c"], does: "close; twice: leave Atomic" },
} as const satisfies Bindings<string>;

const controlBindings = {
  back: { keys: ["left"], does: "one event back" },
  forward: { keys: ["right"], does: "one event forward" },
  nodeBack: { keys: ["shift+left"], does: "one node back" },
  nodeForward: { keys: ["shift+right"], does: "one node forward" },
  first: { keys: ["home"], does: "to the first event" },
  live: { keys: ["end"], does: "back to now" },
  inspect: { keys: ["enter"], does: "open a step: prompt, answer, tools, diff, state" },
  nextTab: { keys: ["tab"], does: "next part of an open step" },
  fork: { keys: ["f"], does: "fork: a new run from here; this one stays" },
  tasks: { keys: ["ctrl+t"], does: "tasks, and what they wait for" },
  ...runBindings,
  ...listBindings,
} as const satisfies Bindings<string>;

const runsBindings = {
  watch: { keys: ["enter"], does: "watch it in mission control" },
  fork: { keys: ["f"], does: "fork: choose where in mission control" },
  filter: { keys: ["/"], does: "filter by what you type" },
  ...runBindings,
  ...listBindings,
} as const satisfies Bindings<string>;

const evidenceBindings = {
  lookAgain: { keys: ["r"], does: "look at the folder again" },
  ...listBindings,
} as const satisfies Bindings<string>;

export type FrameAction = keyof typeof frameBindings;
export type KeyAction = keyof typeof chatBindings;
export type ControlAction = keyof typeof controlBindings;
export type EvidenceAction = keyof typeof evidenceBindings;
export type RunsAction = keyof typeof runsBindings;
export const keyActions = Object.keys(chatBindings) as readonly KeyAction[];
export const frameActions = Object.keys(frameBindings) as readonly FrameAction[];

export function isFrameAction(action: string): action is FrameAction {
  return Object.hasOwn(frameBindings, action);
}

export interface KeyTable<Action extends string = KeyAction> extends Pick<BoundKeys<Action>, "actionOf" | "label"> {
  /** What moves to another screen: for the frame, not for the screen. */
  frameActionOf(key: PressedKey): FrameAction | undefined;
  /** All of both, as help shows them. */
  readonly rows: readonly (KeyRow & { readonly action: Action | FrameAction })[];
}

export interface KeyTables {
  readonly chat: KeyTable;
  readonly control: KeyTable<ControlAction>;
  readonly runs: KeyTable<RunsAction>;
  readonly evidence: KeyTable<EvidenceAction>;
  /** Why entries of the user's own were left out. */
  readonly problems: readonly string[];
}

/** `rebound`: entries like `output=ctrl+y`. */
export function createKeyTables(rebound: readonly string[] = []): KeyTables {
  const taken = new Set<string>();

  function table<Action extends string>(own: Bindings<Action>, hasLetters: boolean): KeyTable<Action> {
    const all: Bindings<Action | FrameAction> = { ...frameBindings, ...own };
    const bound = bindKeys(all, { rebound, hasLetters });
    for (const entry of bound.taken) taken.add(entry);
    const count = frameActions.length;
    return {
      actionOf(key) {
        const action = bound.actionOf(key);
        return action === undefined || isFrameAction(action) ? undefined : action;
      },
      frameActionOf(key) {
        const action = bound.actionOf(key);
        return action !== undefined && isFrameAction(action) ? action : undefined;
      },
      // Those of the screen first.
      rows: [...bound.rows.slice(count), ...bound.rows.slice(0, count)],
      label: bound.label,
    };
  }

  const tables = {
    chat: table(chatBindings, false),
    control: table(controlBindings, true),
    runs: table(runsBindings, true),
    evidence: table(evidenceBindings, true),
  };
  const known = new Set(
    [frameBindings, chatBindings, controlBindings, runsBindings, evidenceBindings].flatMap((each) =>
      Object.keys(each).map((action) => action.toLowerCase()),
    ),
  );
  const problems = rebound
    .filter((entry) => !taken.has(entry))
    .map((entry) => {
      const { action, key } = readBinding(entry);
      return known.has(action) ? `"${key}" is not a key that can be bound.` : `There is no key action "${action}".`;
    });
  return { ...tables, problems };
}
