import { expect, test } from "bun:test";
import { toolChange } from "./tool-title.ts";

test.each([
  ["one\ntwo\n", 2],
  ["one\n\nthree", 3],
  ["one", 1],
  ["", 0],
])("a new file of %j counts each of its lines", (content, added) => {
  expect(toolChange({ file_path: "a.txt", content })).toEqual({ added, removed: 0 });
});

test("an edit counts the lines that differ", () => {
  const input = { file_path: "a.txt", old_string: "one\ntwo\nthree", new_string: "one\n2\n2.5\nthree" };
  expect(toolChange(input)).toEqual({ added: 2, removed: 1 });
});
