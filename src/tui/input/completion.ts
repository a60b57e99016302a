// Completion of slash commands and paths, and the greyed hint behind a finished command: a pure state machine.
//
//   idle ── types "/" ──▶ suggesting ── Tab, or Space after a command ──▶ hinting ── types ──▶ typing-args
//    ▲                        │ Enter runs the selected one                 │ Esc, Enter         │ back to the name
//    └────────────────────────┴─────────────────────────────────────────────┘◀───────────────────┘

export interface Suggestion {
  /** What is inserted: `/ralph`, `@src/main.ts`. */
  readonly insert: string;
  /** What is shown in the first column. */
  readonly name: string;
  readonly hint: string;
  readonly description: string;
  readonly category: "builtin" | "workflow" | "skill" | "agent" | "file" | "folder";
}

export interface Completion {
  readonly state: "idle" | "suggesting" | "hinting" | "typing-args";
  readonly suggestions: readonly Suggestion[];
  readonly selected: number;
  /** Behind the text, in grey. */
  readonly hint: string;
  /** What the user closed by Esc: it stays closed until the text changes. */
  readonly closedAt: string | undefined;
}

export interface CompletionSource {
  /** Without hidden ones; names and aliases that start with the query, the best first. */
  commands(query: string): readonly Suggestion[];
  /** The command of exactly that name or alias. */
  command(name: string): Suggestion | undefined;
  /** Files, folders and agents for what follows an @. */
  paths(query: string): readonly Suggestion[];
}

export const noCompletion: Completion = {
  state: "idle",
  suggestions: [],
  selected: 0,
  hint: "",
  closedAt: undefined,
};

const shownSuggestions = 8;

/** After every change of the text, or of the cursor. */
export function completeText(now: Completion, text: string, cursor: number, source: CompletionSource): Completion {
  if (now.closedAt === text) return now;
  const path = /(?:^|\s)@(\S*)$/.exec(text.slice(0, cursor))?.[1];
  if (path !== undefined) return suggesting(now, source.paths(path));
  const { commandName, hasArgs, argsText } = parseCommandInput(text);
  if (!text.startsWith("/") || commandName.includes("/") || commandName.includes("\n")) return noCompletion;
  if (!hasArgs) return suggesting(now, source.commands(commandName));
  const command = source.command(commandName);
  if (command === undefined) return noCompletion;
  const hint = argsText === "" ? command.hint : "";
  return { ...noCompletion, state: argsText === "" ? "hinting" : "typing-args", hint };
}

function suggesting(now: Completion, suggestions: readonly Suggestion[]): Completion {
  if (suggestions.length === 0) return noCompletion;
  // The row that was chosen stays chosen as long as it is offered.
  const chosen = now.suggestions[now.selected]?.insert;
  const kept = suggestions.findIndex(({ insert }) => insert === chosen);
  return { ...noCompletion, state: "suggesting", suggestions, selected: Math.max(0, kept) };
}

export function moveSelection(now: Completion, by: number): Completion {
  const count = now.suggestions.length;
  return count === 0 ? now : { ...now, selected: (now.selected + by + count) % count };
}

export function closeCompletion(text: string): Completion {
  return { ...noCompletion, closedAt: text };
}

/** The text with the selected suggestion in it, and where the cursor goes. */
export function acceptSuggestion(
  { suggestions, selected }: Completion,
  text: string,
  cursor: number,
): { readonly text: string; readonly cursor: number } | undefined {
  const chosen = suggestions[selected];
  if (chosen === undefined) return undefined;
  const head = text.slice(0, cursor).replace(/\S*$/, "");
  const space = chosen.category === "folder" ? "" : " ";
  const begun = `${head}${chosen.insert}${space}`;
  return { text: begun + text.slice(cursor).trimStart(), cursor: begun.length };
}

export function parseCommandInput(input: string): {
  readonly commandName: string;
  readonly hasArgs: boolean;
  readonly argsText: string;
} {
  if (!input.startsWith("/")) return { commandName: "", hasArgs: false, argsText: "" };
  const [, commandName = "", argsText] = /^\/([^ ]*)(?: ([\s\S]*))?$/.exec(input) ?? [];
  return { commandName, hasArgs: argsText !== undefined, argsText: argsText ?? "" };
}

export const nameColumns = 20;
export const hintColumns = 25;

/** A hint that is longer than 23 is cut to 20 and three dots. */
export function cutHint(hint: string): string {
  return hint.length > 23 ? `${hint.slice(0, 20)}...` : hint;
}

/** Which of the suggestions are in view: the selected one always is. */
export function visibleRange(count: number, selected: number, rows = shownSuggestions): readonly [number, number] {
  const from = Math.max(0, Math.min(selected - rows + 1, count - rows));
  return [Math.max(0, from), Math.min(count, Math.max(0, from) + rows)];
}
