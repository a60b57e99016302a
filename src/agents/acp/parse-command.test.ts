import { expect, test } from "bun:test";
import { AtomicError } from "../../lib/errors.ts";
import { parseCommand } from "./parse-command.ts";

test.each([
  ["gemini --experimental-acp", "gemini", ["--experimental-acp"]],
  ['  "/opt/my agents/run"   --name \'a b\' "c\\"d" ', "/opt/my agents/run", ["--name", "a b", 'c"d']],
  ["agent a\\ b $HOME '*'", "agent", ["a b", "$HOME", "*"]],
  ["agent ''", "agent", [""]],
  ["C:\\\\agents\\\\run.exe --acp", "C:\\agents\\run.exe", ["--acp"]],
])("parseCommand splits %p into words", (text, file, args) => {
  expect(parseCommand(text)).toEqual({ file, args });
});

test.each(["", "   ", "''", "./agent", "bin/agent", "..\\\\agent.exe", '"open'])("parseCommand refuses %p", (text) => {
  let refusal: unknown;
  try {
    parseCommand(text);
  } catch (thrown) {
    refusal = thrown;
  }
  expect(AtomicError.is(refusal, "AGENT_UNAVAILABLE")).toBe(true);
});
