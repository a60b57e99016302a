import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FilePart, StoreShelf } from "../../journal/store-shelf.ts";
import { TranscriptUpload } from "./shared-transcript.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-upload-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Keeps pieces in memory, as a database would. */
function createShelf(): { readonly shelf: StoreShelf; readonly parts: FilePart[] } {
  const parts: FilePart[] = [];
  const shelf: StoreShelf = {
    addPiece: async (_, part) => void parts.push(part),
    keptUpTo: async () => 0,
    trimPieces: async () => undefined,
    pieces: async () => [],
    hasOtherSources: async () => false,
    listRuns: async () => ({ runs: [], total: 0 }),
    keepSummary: async () => undefined,
  };
  return { shelf, parts };
}

test.each([
  ["one byte", "x"],
  ["two bytes", "é"],
  ["four bytes", "😀"],
])("lines after one that is longer than a piece are sent, of characters of %s", async (_, character) => {
  const path = join(root, `${character.codePointAt(0)}.jsonl`);
  writeFileSync(path, `{"first":1}\n{"long":"${character.repeat(3_000_000)}"}\n{"last":1}\n`);
  const { shelf, parts } = createShelf();
  await new TranscriptUpload({ shelf, run: "r", path }).close();

  expect(parts.length).toBeGreaterThan(2);
  expect(parts.map(({ text }) => text).join("") === readFileSync(path, "utf8")).toBe(true);
  expect(parts.slice(1).map(({ start }) => start)).toEqual(parts.slice(0, -1).map(({ stop }) => stop));
});

test("an incomplete line waits for its end", async () => {
  const path = join(root, "torn.jsonl");
  writeFileSync(path, '{"first":1}\n{"torn');
  const { shelf, parts } = createShelf();
  await new TranscriptUpload({ shelf, run: "r", path }).close();

  expect(parts.map(({ text }) => text)).toEqual(['{"first":1}\n']);
});
