// The text that is being typed: a pure reducer. Positions are indexes into the string and never inside a character that
// a user sees as one. A long paste stands in the text as a mark, `[120 lines]`, which is one character to the editor;
// what is sent has the paste in its place.

export interface InputState {
  readonly text: string;
  readonly cursor: number;
  /** By their mark, one private-use character each. */
  readonly pastes: ReadonlyMap<string, string>;
}

export type InputAction =
  | { readonly type: "insert"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "set"; readonly text: string }
  | {
      readonly type:
        | "left"
        | "right"
        | "up"
        | "down"
        | "wordLeft"
        | "wordRight"
        | "lineStart"
        | "lineEnd"
        | "backspace"
        | "remove"
        | "deleteWord"
        | "deleteLine"
        | "deleteRest"
        | "openPaste";
    };

export const emptyInput: InputState = { text: "", cursor: 0, pastes: new Map() };

/** A paste of at least this many lines or characters folds. */
const foldLines = 5;
const foldChars = 1000;
const firstMark = 0xf0000;

export function editInput(state: InputState, action: InputAction): InputState {
  const { text, cursor } = state;
  switch (action.type) {
    case "insert":
      return insert(state, action.text);
    case "paste":
      return paste(state, action.text);
    case "set":
      return { text: action.text, cursor: action.text.length, pastes: new Map() };
    case "left":
      return { ...state, cursor: before(text, cursor) };
    case "right":
      return { ...state, cursor: after(text, cursor) };
    case "up":
      return { ...state, cursor: vertical(text, cursor, -1) };
    case "down":
      return { ...state, cursor: vertical(text, cursor, 1) };
    case "wordLeft":
      return { ...state, cursor: wordBefore(text, cursor) };
    case "wordRight":
      return { ...state, cursor: cursor + (/^\s*\S+/.exec(text.slice(cursor))?.[0].length ?? 0) };
    case "lineStart":
      return { ...state, cursor: lineStart(text, cursor) };
    case "lineEnd":
      return { ...state, cursor: lineEnd(text, cursor) };
    case "backspace":
      return cut(state, before(text, cursor), cursor);
    case "remove":
      return cut(state, cursor, after(text, cursor));
    case "deleteWord":
      return cut(state, wordBefore(text, cursor), cursor);
    case "deleteLine":
      return cut(state, lineStart(text, cursor), cursor);
    case "deleteRest":
      return cut(state, cursor, Math.max(lineEnd(text, cursor), after(text, cursor) * Number(text[cursor] === "\n")));
    case "openPaste":
      return openPaste(state);
  }
}

/** What is sent: the pastes in full. */
export function wholeText({ text, pastes }: InputState): string {
  return text.replace(/[\u{f0000}-\u{ffffd}]/gu, (mark) => pastes.get(mark) ?? "");
}

/** As it is shown: with `[120 lines]` for a paste, and the cursor's place in that. */
export function shownText({ text, pastes, cursor }: InputState): { readonly text: string; readonly cursor: number } {
  let shown = "";
  let at = 0;
  let place = 0;
  for (const character of text) {
    if (at === cursor) place = shown.length;
    const folded = pastes.get(character);
    shown += folded === undefined ? character : pasteLabel(folded);
    at += character.length;
  }
  return { text: shown, cursor: cursor >= text.length ? shown.length : place };
}

function pasteLabel(text: string): string {
  const lines = text.split("\n").length;
  return lines === 1 ? `[${text.length} characters]` : `[${lines} lines]`;
}

/** Vertical movement leaves the text: then ↑ and ↓ mean something else. */
export function isAtEdge({ text, cursor }: InputState, direction: "up" | "down"): boolean {
  return direction === "up" ? !text.slice(0, cursor).includes("\n") : !text.slice(cursor).includes("\n");
}

/** Terminals send carriage returns for line ends. */
function normalizePaste(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
}

function insert(state: InputState, inserted: string): InputState {
  const { text, cursor } = state;
  return { ...state, text: text.slice(0, cursor) + inserted + text.slice(cursor), cursor: cursor + inserted.length };
}

function paste(state: InputState, pasted: string): InputState {
  const text = normalizePaste(pasted);
  if (text.split("\n").length < foldLines && text.length < foldChars) return insert(state, text);
  const mark = String.fromCodePoint(firstMark + state.pastes.size);
  return insert({ ...state, pastes: new Map([...state.pastes, [mark, text]]) }, mark);
}

function openPaste(state: InputState): InputState {
  const { text, cursor, pastes } = state;
  const from = pastes.has(text.slice(cursor, after(text, cursor))) ? cursor : before(text, cursor);
  const to = after(text, from);
  const folded = pastes.get(text.slice(from, to));
  if (folded === undefined) return state;
  return insert(cut(state, from, to), folded);
}

function cut(state: InputState, from: number, to: number): InputState {
  return { ...state, text: state.text.slice(0, from) + state.text.slice(to), cursor: from };
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Without its last character, as people see it. */
export function withoutLast(text: string): string {
  return text.slice(0, before(text, text.length));
}

/** The character at a place, as people see it. */
export function characterAt(text: string, cursor: number): string {
  return text.slice(cursor, after(text, cursor));
}

function before(text: string, cursor: number): number {
  if (cursor <= 0) return 0;
  // The longest character that people see as one is far shorter.
  const from = Math.max(0, cursor - 64);
  const parts = [...segmenter.segment(text.slice(from, cursor))];
  return from + (parts.at(-1)?.index ?? 0);
}

function after(text: string, cursor: number): number {
  const [first] = segmenter.segment(text.slice(cursor, cursor + 64));
  return cursor + (first?.segment.length ?? 0);
}

function wordBefore(text: string, cursor: number): number {
  return cursor - (/\S+\s*$/.exec(text.slice(0, cursor))?.[0].length ?? cursor);
}

function lineStart(text: string, cursor: number): number {
  return text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const at = text.indexOf("\n", cursor);
  return at === -1 ? text.length : at;
}

function vertical(text: string, cursor: number, by: -1 | 1): number {
  const start = lineStart(text, cursor);
  const column = [...segmenter.segment(text.slice(start, cursor))].length;
  if (by === -1 && start === 0) return 0;
  if (by === 1 && lineEnd(text, cursor) === text.length) return text.length;
  const target = by === -1 ? lineStart(text, start - 1) : lineEnd(text, cursor) + 1;
  const line = text.slice(target, lineEnd(text, target));
  const parts = [...segmenter.segment(line)];
  return target + (parts[column]?.index ?? line.length);
}
