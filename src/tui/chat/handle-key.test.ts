// Keys on the chat screen, with plain values: what changes, and what is asked of the program.

import { expect, test } from "bun:test";
import type { AgentQuestion } from "../../agents/questions.ts";
import { shownText, wholeText } from "../input/input-state.ts";
import { createKeyTables, type PressedKey } from "../keys/key-table.ts";
import { handleKey, handlePaste, performAction } from "./handle-key.ts";
import type { Effect } from "./effect.ts";
import type { KeyFacts } from "./handled.ts";
import { firstScreenState, openQuestion, type ScreenState } from "./screen-state.ts";

const help = { insert: "/help", name: "/help", hint: "[command-name]", description: "", category: "builtin" } as const;
const facts: KeyFacts = {
  table: createKeyTables().chat,
  completion: {
    commands: (query) => ("help".startsWith(query) ? [help] : []),
    command: (name) => (name === "help" ? help : undefined),
    paths: () => [],
  },
  isWorking: false,
  queue: [],
  questions: [],
  history: ["the last message", "fix the parser"],
  blocks: [
    { kind: "person", id: "1", text: "find the needle" },
    { kind: "tool", id: "2", name: "Bash", title: "ls", state: "ok", output: "a NEEDLE", startedAt: 0 },
    { kind: "said", id: "3", text: "done" },
  ],
  palette: () => ({
    commands: [help, { ...help, insert: "/clear", name: "/clear", hint: "" }],
    actions: [{ action: "output", keys: "^O", does: "show full output" }],
    screens: [{ action: "showRuns", keys: "F4", does: "runs" }],
  }),
};

const keys: Readonly<Record<string, Partial<PressedKey>>> = {
  enter: { name: "return" },
  esc: { name: "escape" },
  tab: { name: "tab" },
  up: { name: "up" },
  down: { name: "down" },
  del: { name: "delete" },
  back: { name: "backspace" },
  "^C": { name: "c", ctrl: true },
  "^R": { name: "r", ctrl: true },
  "^O": { name: "o", ctrl: true },
  "^P": { name: "p", ctrl: true },
  "^F": { name: "f", ctrl: true },
  "S-up": { name: "up", shift: true },
};

function press(state: ScreenState, list: readonly string[], more: Partial<KeyFacts> = {}) {
  const effects: Effect[] = [];
  let now = state;
  for (const each of list.flatMap((name) => (keys[name] === undefined ? Array.from(name) : [name]))) {
    const key = { name: each, ctrl: false, meta: false, shift: false, sequence: each, ...keys[each] };
    const handled = handleKey(now, keys[each] === undefined ? key : { ...key, sequence: "" }, { ...facts, ...more });
    now = handled.state;
    effects.push(...handled.effects.filter(({ type }) => type !== "scroll"));
  }
  return { state: now, effects };
}

const question: AgentQuestion = {
  id: "q1",
  items: [
    {
      text: "Which colour?",
      options: [{ label: "red" }, { label: "blue", description: "like the sea" }],
      isMultiple: false,
      isFreeText: true,
    },
  ],
};
const asking = { questions: [question], isWorking: true };
const asked = (): ScreenState => ({ ...firstScreenState(""), question: openQuestion(question) });

test("Enter sends what was typed and empties the input; an empty one sends nothing", () => {
  expect(press(firstScreenState(""), ["hi you", "enter"])).toMatchObject({
    state: { input: { text: "" } },
    effects: [{ type: "submit", line: "hi you" }],
  });
  expect(press(firstScreenState(""), ["enter"]).effects).toEqual([]);
});

test("a backslash before Enter, and Ctrl+J, make a new line", () => {
  expect(press(firstScreenState(""), ["one\\", "enter", "two", "enter"]).effects).toEqual([
    { type: "submit", line: "one\ntwo" },
  ]);
});

test("Enter on a suggestion runs that command; Tab completes it first", () => {
  expect(press(firstScreenState(""), ["/he", "enter"]).effects).toEqual([{ type: "submit", line: "/help" }]);
  expect(press(firstScreenState(""), ["/he", "tab", "clear", "enter"]).effects).toEqual([
    { type: "submit", line: "/help clear" },
  ]);
});

test("Esc closes suggestions, then stops the turn, and never leaves", () => {
  const typed = press(firstScreenState(""), ["/h"]).state;

  expect(press(typed, ["esc"], { isWorking: true }).effects).toEqual([]);
  expect(press(typed, ["esc", "esc"], { isWorking: true }).effects).toEqual([{ type: "interrupt" }]);
  expect(press(firstScreenState(""), ["esc", "esc", "esc"]).effects).toEqual([]);
});

test("Ctrl+C stops the turn and keeps the text; idle it clears, warns, then leaves", () => {
  const typed = press(firstScreenState(""), ["draft"]).state;

  expect(press(typed, ["^C"], { isWorking: true })).toMatchObject({
    state: { input: { text: "draft" } },
    effects: [{ type: "interrupt" }],
  });
  expect(press(typed, ["^C"])).toMatchObject({ state: { input: { text: "" }, isLeaving: false }, effects: [] });
  expect(press(typed, ["^C", "^C"]).state.note).toContain("once more");
  expect(press(typed, ["^C", "^C", "^C"]).effects).toEqual([{ type: "exit" }]);
  expect(press(typed, ["^C", "^C", "x", "^C", "^C"]).effects).toEqual([]);
});

test("a question takes no key before it has the focus, and the draft is kept", () => {
  const { state, effects } = press(asked(), ["2"], asking);

  expect(state.input.text).toBe("2");
  expect(effects).toEqual([]);
  expect(press(state, ["tab", "2"], asking)).toMatchObject({
    state: { input: { text: "2" }, question: undefined },
    effects: [{ type: "answer", question: "q1", reply: { type: "answered", answers: [["blue"]] } }],
  });
});

test("a question is answered by arrows, by typing, declined, or put off", () => {
  const answers = (...list: readonly string[]) => press(asked(), ["tab", ...list], asking).effects;
  const answered = (value: string) => [
    { type: "answer", question: "q1", reply: { type: "answered", answers: [[value]] } },
  ];

  expect(answers("down", "enter")).toEqual(answered("blue") as never);
  expect(answers("green", "enter")).toEqual(answered("green") as never);
  expect(answers("up", "enter")).toEqual([
    { type: "answer", question: "q1", reply: { type: "declined", reason: "declined" } },
  ]);
  expect(press(asked(), ["tab", "esc", "hi", "enter"], asking).effects).toEqual([{ type: "submit", line: "hi" }]);
});

test("several options are toggled by number and sent together", () => {
  const [item] = question.items;
  const multiple = { ...question, items: item === undefined ? [] : [{ ...item, isMultiple: true }] };

  expect(press(asked(), ["tab", "1", "2", "enter"], { questions: [multiple], isWorking: true }).effects).toEqual([
    { type: "answer", question: "q1", reply: { type: "answered", answers: [["red", "blue"]] } },
  ]);
  // A box that was cleared again is not an answer, although its row is still highlighted.
  const cleared = press(asked(), ["tab", "1", "1", "enter"], { questions: [multiple], isWorking: true });
  expect(cleared).toMatchObject({ state: { note: expect.stringContaining("Tick at least one option") }, effects: [] });
});

test("the queue is edited, moved, deleted and sent from an empty input", () => {
  const queue = [
    { id: "a", line: "first" },
    { id: "b", line: "second" },
  ];
  const more = { queue, isWorking: true };

  expect(press(firstScreenState(""), ["up", "enter"], more)).toMatchObject({
    state: { input: { text: "second" }, queueAt: undefined },
    effects: [{ type: "queue", change: "remove", id: "b" }],
  });
  expect(press(firstScreenState(""), ["up", "up", "del"], more).effects).toEqual([
    { type: "queue", change: "remove", id: "a" },
  ]);
  expect(press(firstScreenState(""), ["up", "s"], more).effects).toEqual([
    { type: "queue", change: "sendNow", id: "b" },
  ]);
  expect(press(firstScreenState("text"), ["up"], more).state.queueAt).toBeUndefined();
});

test("history is searched fuzzily and taken into the input; ↑ in an empty input takes the last", () => {
  expect(press(firstScreenState(""), ["^R", "prs", "enter"]).state.input.text).toBe("fix the parser");
  expect(press(firstScreenState("draft"), ["^R", "prs", "esc"]).state.input.text).toBe("draft");
  expect(press(firstScreenState(""), ["up"]).state.input.text).toBe("the last message");
});

test("? shows the keys in an empty input only; Ctrl+O opens output", () => {
  expect(press(firstScreenState(""), ["?"]).state.overlay).toEqual({ kind: "keys" });
  expect(press(firstScreenState(""), ["why?"]).state.input.text).toBe("why?");
  expect(press(firstScreenState(""), ["^O"]).state.isOutputOpen).toBe(true);
});

test("what is typed over a text closes it and is in the input, also right after Esc", () => {
  const reading: ScreenState = {
    ...firstScreenState(""),
    overlay: { kind: "text", title: "help", text: "long", top: 0 },
  };
  const quick: PressedKey = { name: "", ctrl: false, meta: false, shift: false, sequence: "\x1b/" };

  expect(press(reading, ["fix"]).state).toMatchObject({ overlay: undefined, input: { text: "fix" } });
  expect(handleKey(reading, quick, facts).state).toMatchObject({ overlay: undefined, input: { text: "/" } });
  const letter: PressedKey = { ...quick, name: "x", meta: true, sequence: "\x1bx" };
  expect(handleKey(reading, letter, facts).state).toMatchObject({ overlay: undefined, input: { text: "x" } });
  for (const closing of ["esc", "enter", "?", " "])
    expect(press(reading, [closing]).state).toMatchObject({ overlay: undefined, input: { text: "" } });
});

test("a paste goes into the input, not into what lies over it", () => {
  expect(handlePaste(firstScreenState("a"), "b\rc", facts).input.text).toBe("ab\nc");
  expect(handlePaste({ ...firstScreenState("a"), overlay: { kind: "keys" } }, "b", facts).input.text).toBe("a");
});

test("Ctrl+P finds commands, keys, screens and files by name", () => {
  const choose = (query: string): readonly Effect[] => press(firstScreenState(""), ["^P", query, "enter"]).effects;

  expect(choose("clear")).toEqual([{ type: "submit", line: "/clear" }]);
  expect(press(firstScreenState("draft"), ["^P", "help", "enter"]).state.input.text).toBe("/help ");
  expect(choose("full out")).toEqual([{ type: "action", action: "output" }]);
  expect(choose("runs")).toEqual([{ type: "screen", action: "showRuns" }]);
  const file = { insert: "@a.ts", name: "a.ts", hint: "", description: "", category: "file" } as const;
  const withFile = { completion: { ...facts.completion, paths: () => [file] } };
  expect(press(firstScreenState("see "), ["^P", "a.ts", "enter"], withFile).state.input.text).toBe("see @a.ts ");
  expect(performAction(firstScreenState(""), "output", facts).state.isOutputOpen).toBe(true);
});

test("a long draft comes back folded and whole, a short one as it was typed", () => {
  for (const draft of ["x".repeat(2000), "line\n".repeat(20)]) {
    const { input } = firstScreenState(draft);
    expect(shownText(input).text.length).toBeLessThan(40);
    expect(wholeText(input)).toBe(draft);
  }
  expect(firstScreenState("one\ntwo\nthree\nfour\nfive\nsix").input.text).toContain("five\nsix");
});

test("Ctrl+F shows the newest match first, then older ones; Esc ends it and the draft is kept", () => {
  const found = press(firstScreenState("draft"), ["^F", "needle"]);
  expect(found.state.marked).toBe("2tool");
  expect(found.effects.at(-1)).toEqual({ type: "reveal", block: "2tool", part: 0.5 });

  const older = press(found.state, ["enter"]);
  expect(older.state.marked).toBe("1person");
  expect(press(older.state, ["enter"]).state.marked).toBe("2tool");
  const ended = press(older.state, ["esc"]).state;
  expect(ended).toMatchObject({ find: undefined, marked: undefined, input: { text: "draft" } });
  expect(press(firstScreenState(""), ["^F", "nowhere"]).state.marked).toBeUndefined();
});

test("a message is chosen by Shift+Up and copied by y; any other key types again", () => {
  const marked = press(firstScreenState(""), ["S-up"]).state;
  expect(marked.marked).toBe("3said");
  expect(press(marked, ["up", "y"]).effects.at(-1)).toEqual({ type: "copy", text: "find the needle" });
  expect(press(marked, ["x"]).state).toMatchObject({ marked: undefined, input: { text: "x" } });
  expect(press(firstScreenState(""), ["y"]).state.input.text).toBe("y");
});
