import { expect, test } from "bun:test";
import { toolChange, toolChanges, toolDiff } from "./tool-changes.ts";
import { toolTitle } from "./tool-title.ts";

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

const patch = `*** Begin Patch
*** Update File: src/a.ts
@@ function one()
 before
-old
+new
+newer
@@
-gone
*** Add File: b.txt
+first
+
+third
*** Update File: c.ts
*** Move to: d.ts
@@
-x
+y
*** Delete File: e.ts
*** End Patch`;

test.each([
  ["patchText", { patchText: patch }],
  ["input", { input: patch }],
  ["the text itself", patch],
  ["lines that end as on Windows", { patchText: patch.replaceAll("\n", "\r\n") }],
])("a patch counts the lines of each of its files (%s)", (_, input) => {
  expect(toolChanges(input)).toEqual([
    { path: "src/a.ts", added: 2, removed: 2 },
    { path: "b.txt", added: 3, removed: 0 },
    { path: "d.ts", added: 1, removed: 1 },
    { path: "e.ts", added: 0, removed: 0 },
  ]);
  expect(toolChange(input)).toEqual({ added: 6, removed: 3 });
  expect(toolTitle(input)).toBe("src/a.ts, b.txt, d.ts, e.ts");
});

test("the diff of a patch names its files", () => {
  const lines = toolDiff({ patchText: patch })
    ?.split("\n")
    .filter((line) => line.trim() !== "");
  expect(lines?.slice(0, 7)).toEqual(["src/a.ts", "  before", "- old", "+ new", "+ newer", "- gone", "b.txt"]);
});

test("a call of several edits counts all of them, for its one file", () => {
  const edits = [
    { old_string: "one", new_string: "1" },
    { old_string: "two\nthree", new_string: "2\nthree\n4" },
  ];
  expect(toolChanges({ file_path: "a.txt", edits })).toEqual([{ path: "a.txt", added: 3, removed: 2 }]);
  expect(toolDiff({ file_path: "a.txt", edits })).toContain("- one");
});

test.each([
  ["a command", { command: "cat a.txt" }],
  ["a file that is read", { path: "a.txt" }],
  ["a text that is not a patch", { input: "*** Update File: a.txt" }],
  ["edits that are not edits", { path: "a.txt", edits: ["x", null, { old_string: 7 }] }],
  ["nothing", null],
])("%s changes no file", (_, input) => {
  expect(toolChanges(input)).toEqual([]);
  expect(toolChange(input)).toEqual({});
  expect(toolDiff(input)).toBeUndefined();
});
