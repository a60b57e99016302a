import { expect, test } from "bun:test";
import type { TranscriptEntry, TranscriptFacts } from "../../transcript/transcript-entry.ts";
import { createTranscriptPrinter } from "./transcript-text.ts";

function printed(...facts: readonly TranscriptFacts[]): string {
  const texts: string[] = [];
  const print = createTranscriptPrinter((text) => texts.push(text));
  for (const each of facts) print({ v: 1, at: 0, ...each } satisfies TranscriptEntry);
  return texts.join("\n");
}

const patchText = "*** Begin Patch\n*** Add File: a.ts\n+1\n*** Update File: b.ts\n@@\n-x\n+y\n*** End Patch";
const call = { turn: "t", call: "c", name: "apply_patch" } as const;
const finished = { outcome: "ok", output: "", outputChars: 0, durationMs: 5 } as const;

test("a tool that changes several files names them, with the lines of all of them", () => {
  const changes = [
    { path: "a.ts", added: 1, removed: 0 },
    { path: "b.ts", added: 1, removed: 1 },
  ];
  const text = printed(
    { type: "tool.started", ...call, kind: "write", input: { patchText } },
    { type: "tool.finished", ...call, ...finished, changes },
  );
  expect(text).toContain("→ apply_patch a.ts, b.ts");
  expect(text).toContain("✓ apply_patch a.ts, b.ts (+2 −1, 5ms)");
});

test("the one change that earlier versions wrote is shown", () => {
  const change = { path: "a.ts", added: 3, removed: 2 };
  expect(printed({ type: "tool.finished", ...call, ...finished, change })).toContain("(+3 −2, 5ms)");
});

test.each([
  ["size", "… earlier entries were dropped …"],
  ["disk", "… entries were lost: the disk was full or could not be written …"],
  ["length", "… an entry was left out: it was too long …"],
] as const)("entries that are missing have their reason (%s)", (reason, text) => {
  expect(printed({ type: "transcript.truncated", reason })).toBe(text);
});
