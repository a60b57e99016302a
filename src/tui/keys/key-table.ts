// Every key of the chat screen and what it does: the table that binds keys is the one that help shows. Keys are written
// as people write them: `ctrl+o`, `alt+enter`, `shift+tab`, `f1`. Ctrl+A, Ctrl+B and Ctrl+Z belong to terminals and
// multiplexers and are never bound.

/** A key as the terminal reports it. */
export interface PressedKey {
  readonly name: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
  /** What it types, if anything. */
  readonly sequence: string;
}

const bindings = {
  send: { keys: ["enter"], does: "send" },
  newline: { keys: ["alt+enter", "ctrl+j", "shift+enter"], does: "new line" },
  complete: { keys: ["tab"], does: "complete, or focus a question" },
  close: { keys: ["escape"], does: "close what is open; else stop the turn" },
  interrupt: { keys: ["ctrl+c"], does: "stop the turn; idle: clear, then leave" },
  keys: { keys: ["f1"], does: "show these keys (also ? in an empty input)" },
  output: { keys: ["ctrl+o"], does: "show or fold full output and thinking" },
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
  wordLeft: { keys: ["alt+left", "ctrl+left"], does: "word left" },
  wordRight: { keys: ["alt+right", "ctrl+right"], does: "word right" },
  lineStart: { keys: ["home"], does: "start of the line" },
  lineEnd: { keys: ["end", "ctrl+e"], does: "end of the line" },
  backspace: { keys: ["backspace"], does: "delete backward" },
  deleteWord: { keys: ["ctrl+w", "alt+backspace"], does: "delete the word before" },
  deleteLine: { keys: ["ctrl+u"], does: "delete to the start of the line" },
  deleteRest: { keys: ["ctrl+k"], does: "delete to the end of the line" },
  openPaste: { keys: ["ctrl+x"], does: "open a folded paste at the cursor" },
} as const satisfies Readonly<Record<string, Binding>>;

interface Binding {
  readonly keys: readonly string[];
  readonly does: string;
}

export type KeyAction = keyof typeof bindings;
export const keyActions = Object.keys(bindings) as readonly KeyAction[];

export interface KeyTable {
  /** Undefined: the key types itself, or nothing. */
  actionOf(key: PressedKey): KeyAction | undefined;
  readonly rows: readonly { readonly keys: string; readonly does: string }[];
  /** As a hint shows it: `esc`, `^O`. */
  label(action: KeyAction): string;
  /** Why entries of the person's own were left out. */
  readonly problems: readonly string[];
}

/** `rebound`: entries like `output=ctrl+y`. A key that is given to another action is taken from the one that had it. */
export function createKeyTable(rebound: readonly string[] = []): KeyTable {
  const problems: string[] = [];
  const keys = new Map<KeyAction, readonly string[]>(keyActions.map((action) => [action, bindings[action].keys]));
  for (const entry of rebound) {
    const [action = "", key = ""] = entry.split("=").map((part) => part.trim().toLowerCase());
    const found = keyActions.find((each) => each.toLowerCase() === action);
    const canonical = canonicalKey(key);
    if (found === undefined) problems.push(`There is no key action "${action}".`);
    else if (canonical === undefined) problems.push(`"${key}" is not a key that can be bound.`);
    else {
      for (const [other, own] of keys)
        keys.set(
          other,
          own.filter((each) => each !== canonical),
        );
      keys.set(found, [canonical]);
    }
  }
  const byKey = new Map([...keys].flatMap(([action, own]) => own.map((key) => [key, action] as const)));
  return {
    problems,
    actionOf: (key) => byKey.get(spell(key)),
    rows: keyActions.map((action) => ({
      keys: (keys.get(action) ?? []).map(pretty).join("  "),
      does: bindings[action].does,
    })),
    label: (action) => pretty(keys.get(action)?.[0] ?? ""),
  };
}

const forbidden: ReadonlySet<string> = new Set(["ctrl+a", "ctrl+b", "ctrl+z"]);
const names: Readonly<Record<string, string>> = {
  return: "enter",
  linefeed: "ctrl+j",
  kpenter: "enter",
  esc: "escape",
};

function canonicalKey(written: string): string | undefined {
  const parts = written.split("+");
  const name = parts.pop() ?? "";
  if (name === "" || parts.some((part) => !["ctrl", "alt", "shift"].includes(part))) return undefined;
  const ordered = ["ctrl", "alt", "shift"].filter((part) => parts.includes(part));
  // A letter alone types itself.
  if (ordered.length === 0 && /^.$/u.test(name)) return undefined;
  const key = [...ordered, names[name] ?? name].join("+");
  return forbidden.has(key) ? undefined : key;
}

function spell({ name, ctrl, meta, shift }: PressedKey): string {
  const known = names[name] ?? name;
  if (known === "ctrl+j") return known;
  return [...(ctrl ? ["ctrl"] : []), ...(meta ? ["alt"] : []), ...(shift ? ["shift"] : []), known].join("+");
}

function pretty(key: string): string {
  const [first = "", ...rest] = key.split("+").toReversed();
  const name =
    first === "escape"
      ? "Esc"
      : first.length > 1
        ? first.charAt(0).toUpperCase() + first.slice(1)
        : first.toUpperCase();
  if (rest.length === 1 && rest[0] === "ctrl" && first.length === 1) return `^${name}`;
  return [...rest.toReversed().map((part) => part.charAt(0).toUpperCase() + part.slice(1)), name].join("+");
}
