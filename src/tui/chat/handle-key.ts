// A key on the chat screen: what changes, and what the program is asked to do. Pure. The first of these that is open
// takes the key: an overlay, a focused question, the queue, completion, the input.

import {
  acceptSuggestion,
  closeCompletion,
  completeText,
  type CompletionSource,
  moveSelection,
  noCompletion,
} from "../input/completion.ts";
import { editInput, emptyInput, type InputAction, isAtEdge, wholeText } from "../input/input-state.ts";
import type { KeyAction, PressedKey } from "../keys/key-table.ts";
import { historyChoices, paletteChoices } from "./choices.ts";
import { findKey, markKey } from "./find-key.ts";
import { type Handled, type KeyFacts, only, typedText } from "./handled.ts";
import { overlayKey } from "./overlay-key.ts";
import { questionKey } from "./question-key.ts";
import type { ScreenState } from "./screen-state.ts";

export function handleKey(before: ScreenState, key: PressedKey, facts: KeyFacts): Handled {
  return handleAction(before, key, facts.table.actionOf(key), facts);
}

const noKey: PressedKey = { name: "", ctrl: false, meta: false, shift: false, sequence: "" };

/** What a key would do, by its name: as the list of everything starts it. */
export function performAction(before: ScreenState, action: KeyAction, facts: KeyFacts): Handled {
  return handleAction(before, noKey, action, facts);
}

function handleAction(before: ScreenState, key: PressedKey, action: KeyAction | undefined, facts: KeyFacts): Handled {
  const state = action === "interrupt" ? before : { ...before, isLeaving: false, note: undefined };
  if (state.overlay !== undefined) {
    const over = typedOver(key);
    if (state.overlay.kind === "choice" || action !== undefined || over === undefined)
      return overlayKey(state, state.overlay, key, action, facts);
    return typed({ ...state, overlay: undefined }, over, facts);
  }
  if (state.find !== undefined) return findKey(state, state.find, key, action, facts);
  if (action === "interrupt") return interrupt(state, facts);
  if (action === "keys") return only({ ...state, overlay: { kind: "keys" } });
  if (action === "palette") return only({ ...state, overlay: paletteChoices(facts.palette()) });
  if (action === "find") return only({ ...state, find: { query: "", at: 0 }, marked: undefined });
  if (action === "output") return only({ ...state, isOutputOpen: !state.isOutputOpen });
  if (action === "pageUp" || action === "pageDown" || action === "follow")
    return only(state, { type: "scroll", to: action });
  if (action === "select" || state.marked !== undefined) {
    const marked = markKey(state, key, action, facts);
    if (marked !== undefined) return marked;
  }
  return unmarkedKey({ ...state, marked: undefined }, key, action, facts);
}

function unmarkedKey(state: ScreenState, key: PressedKey, action: KeyAction | undefined, facts: KeyFacts): Handled {
  const asked = facts.questions.find(({ id }) => id === state.question?.id);
  if (state.question?.isFocused === true && asked !== undefined)
    return questionKey(state, state.question, asked, key, action);
  if (state.queueAt !== undefined) return queueKey(state, state.queueAt, key, action, facts);
  return inputKey(state, key, action, facts);
}

/** What was pasted, wherever the cursor is. */
export function handlePaste(state: ScreenState, text: string, facts: KeyFacts): ScreenState {
  if (state.overlay !== undefined || state.question?.isFocused === true) return state;
  return edited(state, { type: "paste", text }, facts);
}

function interrupt(state: ScreenState, { isWorking }: KeyFacts): Handled {
  if (isWorking) return only(state, { type: "interrupt" });
  if (state.input.text !== "") return only({ ...state, input: emptyInput, completion: noCompletion });
  if (state.isLeaving) return only(state, { type: "exit" });
  return only({ ...state, isLeaving: true, note: "Ctrl+C once more leaves the chat." });
}

function queueKey(
  state: ScreenState,
  at: number,
  key: PressedKey,
  action: KeyAction | undefined,
  { queue }: KeyFacts,
): Handled {
  const chosen = queue[at];
  if (chosen === undefined || action === "close") return only({ ...state, queueAt: undefined });
  const change = (kind: "remove" | "sendNow" | "up" | "down", queueAt: number | undefined): Handled =>
    only({ ...state, queueAt }, { type: "queue", change: kind, id: chosen.id });
  switch (action) {
    case "up":
      return only({ ...state, queueAt: Math.max(0, at - 1) });
    case "down":
      return only({ ...state, queueAt: at + 1 < queue.length ? at + 1 : undefined });
    case "moveUp":
      return change("up", Math.max(0, at - 1));
    case "moveDown":
      return change("down", Math.min(queue.length - 1, at + 1));
    case "remove":
    case "backspace":
      return change("remove", queue.length === 1 ? undefined : Math.min(at, queue.length - 2));
    case "send": {
      // Back into the input, to be changed and sent again.
      const input = editInput(state.input, { type: "set", text: chosen.line });
      return only({ ...state, queueAt: undefined, input }, { type: "queue", change: "remove", id: chosen.id });
    }
    default:
      return key.sequence === "s" ? change("sendNow", undefined) : only(state);
  }
}

function inputKey(state: ScreenState, key: PressedKey, action: KeyAction | undefined, facts: KeyFacts): Handled {
  const { input, completion } = state;
  const isSuggesting = completion.state === "suggesting";
  switch (action) {
    case "send":
      return send(state, facts);
    case "newline":
      return only(edited(state, { type: "insert", text: "\n" }, facts));
    case "complete":
      return complete(state, facts);
    case "close":
      if (completion.state === "suggesting" || completion.state === "hinting")
        return only({ ...state, completion: closeCompletion(input.text) });
      return facts.isWorking ? only(state, { type: "interrupt" }) : only(state);
    case "history":
      return only({ ...state, overlay: historyChoices(facts.history) });
    case "editor":
      return only(state, { type: "editor", text: wholeText(input) });
    case "up":
      if (isSuggesting) return only({ ...state, completion: moveSelection(completion, -1) });
      if (input.text === "" && facts.queue.length > 0) return only({ ...state, queueAt: facts.queue.length - 1 });
      if (isAtEdge(input, "up") && input.cursor === 0 && input.text === "") return recall(state, facts);
      return only(edited(state, { type: "up" }, facts));
    case "down":
      if (isSuggesting) return only({ ...state, completion: moveSelection(completion, 1) });
      return only(edited(state, { type: "down" }, facts));
    case "moveUp":
    case "moveDown":
    case "interrupt":
    case "keys":
    case "output":
    case "palette":
    case "find":
    case "select":
    case "pageUp":
    case "pageDown":
    case "follow":
      return only(state);
    case undefined:
      return typed(state, key, facts);
    default:
      return only(edited(state, { type: action }, facts));
  }
}

/** The last message, to be sent again or changed. */
function recall(state: ScreenState, { history }: KeyFacts): Handled {
  const [last] = history;
  return only(last === undefined ? state : { ...state, input: editInput(state.input, { type: "set", text: last }) });
}

/** What is typed while a text lies over the chat is meant for the input. A key right after Esc arrives in one piece with it. */
function typedOver(key: PressedKey): PressedKey | undefined {
  const [first, second, ...more] = key.sequence;
  const isAfterEscape = first === "\x1b" && second !== undefined && more.length === 0;
  const alone = isAfterEscape ? { ...key, meta: false, sequence: second } : key;
  const text = typedText(alone);
  return text === undefined || text === "?" || text.trim() === "" ? undefined : alone;
}

function typed(state: ScreenState, key: PressedKey, facts: KeyFacts): Handled {
  if (key.sequence === "?" && state.input.text === "") return only({ ...state, overlay: { kind: "keys" } });
  const text = typedText(key);
  return text === undefined ? only(state) : only(edited(state, { type: "insert", text }, facts));
}

/** A backslash at the end continues the message, where a terminal knows no other way. */
function send(state: ScreenState, facts: KeyFacts): Handled {
  const { input, completion } = state;
  if (input.text.endsWith("\\") && input.cursor === input.text.length) {
    const shorter = editInput(input, { type: "backspace" });
    return only(edited({ ...state, input: shorter }, { type: "insert", text: "\n" }, facts));
  }
  const chosen = completion.suggestions[completion.selected];
  const isCommand = completion.state === "suggesting" && input.text.startsWith("/");
  if (completion.state === "suggesting" && !isCommand) return complete(state, facts);
  const line = isCommand && chosen !== undefined ? chosen.insert : wholeText(input);
  const sent: ScreenState = { ...state, input: emptyInput, completion: noCompletion };
  const [first] = facts.queue;
  if (line.trim() === "")
    // After a turn that did not complete, the queue waits for this.
    return facts.isWorking || first === undefined
      ? only(state)
      : only(state, { type: "queue", change: "sendNow", id: first.id });
  return only(sent, { type: "submit", line }, { type: "scroll", to: "follow" });
}

function complete(state: ScreenState, facts: KeyFacts): Handled {
  const { input, completion, question } = state;
  const accepted =
    completion.state === "suggesting" ? acceptSuggestion(completion, input.text, input.cursor) : undefined;
  if (accepted !== undefined) {
    const next = { ...input, ...accepted };
    const completed = completeText(noCompletion, next.text, next.cursor, facts.completion);
    return only({ ...state, input: next, completion: completed });
  }
  return only(question === undefined ? state : { ...state, question: { ...question, isFocused: true } });
}

/** The same text, after what can be offered for it has changed. */
export function recompleted(
  { input, completion }: ScreenState,
  source: CompletionSource,
): Pick<ScreenState, "completion"> {
  return { completion: completeText(completion, input.text, input.cursor, source) };
}

function edited(state: ScreenState, action: InputAction, facts: Pick<KeyFacts, "completion">): ScreenState {
  const input = editInput(state.input, action);
  return { ...state, input, completion: completeText(state.completion, input.text, input.cursor, facts.completion) };
}
