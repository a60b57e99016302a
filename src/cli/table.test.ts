import { expect, test } from "bun:test";
import { table } from "./table.ts";

const rows = [
  ["a", "short"],
  ["日本語", "wide characters count twice"],
  ["e\u0301", "a combined letter counts once"],
];

test("columns line up by what a terminal shows", () => {
  expect(table(["NAME", "TEXT"], rows, undefined)).toBe(
    [
      "NAME    TEXT",
      "a       short",
      "日本語  wide characters count twice",
      "e\u0301       a combined letter counts once",
    ].join("\n"),
  );
});

test("the last column gives way to the terminal's width", () => {
  const lines = table(["NAME", "TEXT"], rows, 30).split("\n");
  expect(lines[2]).toBe("日本語  wide characters count…");
  for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(30);
});

test("a terminal that is far too narrow still shows something", () => {
  expect(table(["NAME", "TEXT"], rows, 5).split("\n")[2]).toBe("日本語  wide characters cou…");
});

test("cells can't drive the terminal or break the line", () => {
  const text = table(["NAME", "TEXT"], [["\u001b[31mred", "a\nb\u202e"]], undefined);
  expect(text).toBe("NAME      TEXT\n␛[31mred  a b\ufffd");
});

test("a table without rows is its heading", () => {
  expect(table(["NAME", "TEXT"], [], 80)).toBe("NAME  TEXT");
});
