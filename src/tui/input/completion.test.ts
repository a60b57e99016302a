// The state machine of completion, transition by transition.

import { expect, test } from "bun:test";
import {
  acceptSuggestion,
  closeCompletion,
  completeText,
  type Completion,
  type CompletionSource,
  cutHint,
  moveSelection,
  noCompletion,
  parseCommandInput,
  type Suggestion,
  visibleRange,
} from "./completion.ts";

const command = (name: string, hint = ""): Suggestion => ({
  insert: `/${name}`,
  name: `/${name}`,
  hint,
  description: `Does ${name}`,
  category: "builtin",
});
const all = [command("clear"), command("compact", "[focus-instructions]"), command("help", "[command-name]")];
const source: CompletionSource = {
  commands: (query) => all.filter(({ name }) => name.startsWith(`/${query}`)),
  command: (name) => all.find((each) => each.name === `/${name}`),
  paths: (query) =>
    "src/main.ts".startsWith(query)
      ? [{ insert: "@src/main.ts", name: "src/main.ts", hint: "", description: "", category: "file" }]
      : [],
};
const type = (text: string, now: Completion = noCompletion): Completion => completeText(now, text, text.length, source);

test("idle until a slash; then suggestions, filtered by more letters", () => {
  expect(type("hello").state).toBe("idle");
  expect(type("/").suggestions).toHaveLength(3);
  expect(type("/co").suggestions.map(({ name }) => name)).toEqual(["/compact"]);
  expect(type("/zzz").state).toBe("idle");
  expect(type("/usr/bin").state).toBe("idle");
});

test("Tab completes to the selected command and shows its hint; Space after a command does too", () => {
  const suggesting = moveSelection(type("/c"), 1);
  const accepted = acceptSuggestion(suggesting, "/c", 2);

  expect(accepted).toEqual({ text: "/compact ", cursor: 9 });
  expect(type("/compact ")).toMatchObject({ state: "hinting", hint: "[focus-instructions]" });
});

test("the hint goes when arguments are typed, and comes back with the bare command", () => {
  expect(type("/compact p")).toMatchObject({ state: "typing-args", hint: "" });
  expect(type("/compact ", type("/compact p"))).toMatchObject({ state: "hinting", hint: "[focus-instructions]" });
});

test("Esc closes until the text changes", () => {
  const closed = closeCompletion("/c");

  expect(type("/c", closed).state).toBe("idle");
  expect(type("/cl", closed).state).toBe("suggesting");
});

test("the chosen row stays chosen while it is offered", () => {
  const chosen = moveSelection(type("/"), 1);

  expect(type("/c", chosen).selected).toBe(1);
  expect(moveSelection(type("/"), -1).selected).toBe(2);
});

test("an @ in the middle of a message completes a path and keeps the rest", () => {
  const text = "look at @src/ma please";
  const at = text.indexOf(" please");
  const completion = completeText(noCompletion, text, at, source);

  expect(acceptSuggestion(completion, text, at)).toEqual({ text: "look at @src/main.ts please", cursor: 21 });
});

test("hints longer than 23 are cut to 20 and three dots", () => {
  expect(cutHint("x".repeat(23))).toBe("x".repeat(23));
  expect(cutHint("x".repeat(24))).toBe(`${"x".repeat(20)}...`);
});

test("the selected row is always in view", () => {
  expect(visibleRange(20, 0)).toEqual([0, 8]);
  expect(visibleRange(20, 12)).toEqual([5, 13]);
  expect(visibleRange(20, 19)).toEqual([12, 20]);
  expect(visibleRange(3, 2)).toEqual([0, 3]);
});

test("a command line is taken apart as the document says", () => {
  expect(parseCommandInput("/help me now")).toEqual({ commandName: "help", hasArgs: true, argsText: "me now" });
  expect(parseCommandInput("/help")).toEqual({ commandName: "help", hasArgs: false, argsText: "" });
  expect(parseCommandInput("help")).toEqual({ commandName: "", hasArgs: false, argsText: "" });
});
