// Messages that the documents quote are those that the program prints.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readBlocks } from "../../scripts/documents/blocks.ts";

const root = join(import.meta.dir, "../..");
const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");
const sources = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync({ cwd: root })]
  .filter((file) => !/\.test\.tsx?$/.test(file))
  // As the text reads once it is printed.
  .map((file) => readFileSync(join(root, file), "utf8").replaceAll("\\`", "`").replaceAll('\\"', '"'));

test("every message on docs/troubleshooting.md is in the source, with … for what differs", () => {
  const messages = readBlocks(page).filter(({ language }) => language === "message");
  expect(messages.length).toBeGreaterThan(3);
  const unknown = messages
    .flatMap(({ text }) => text.trimEnd().split("\n"))
    .filter((line) => !sources.some((source) => holdsInOrder(source, line.split("…"))));
  expect(unknown).toEqual([]);
});

function holdsInOrder(source: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = source.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
