import { Readable } from "node:stream";
import { expect, test } from "bun:test";
import { readLines } from "./read-lines.ts";

async function linesOf(...chunks: readonly (string | Uint8Array)[]): Promise<string[]> {
  const input = new Readable({ read: () => {} });
  const lines: string[] = [];
  readLines(input, (line) => lines.push(line));
  for (const chunk of chunks) {
    input.push(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  input.push(null);
  await new Promise((resolve) => input.once("end", resolve));
  return lines;
}

test("lines are put together from any pieces, also of characters", async () => {
  const bytes = Buffer.from("Grüße 🦊\nzwei\n");
  const each = [...bytes].map((byte) => Uint8Array.of(byte));
  expect(await linesOf(...each)).toEqual(["Grüße 🦊", "zwei"]);
  expect(await linesOf("a\nb\nc", "d\n\n", "e")).toEqual(["a", "b", "cd", "", "e"]);
});

test("of a line that is too long the start is read, and the next line is whole", async () => {
  const part = "x".repeat(16 * 1024 * 1024);
  const [long, ...rest] = await linesOf(part, part, part, part, part, part, "end\nnext\n");
  expect(long?.length).toBe(5 * part.length);
  expect(rest).toEqual(["next"]);
});
