import { expect, test } from "bun:test";
import { createStreamRedactors } from "../lib/redact.ts";
import { maskProgress } from "./mask-progress.ts";
import type { ProgressNote } from "./progress-note.ts";

function collect(notes: readonly ProgressNote[]): ProgressNote[] {
  const seen: ProgressNote[] = [];
  const createStream = createStreamRedactors({ MY_TOKEN: "s3cr3t-value" });
  if (createStream === undefined) throw new Error("nothing to mask");
  const listen = maskProgress((note) => seen.push(note), createStream);
  for (const note of notes) listen(note);
  return seen;
}

const ids = { sessionId: "s", turnId: "t", messageId: "m" };
const about = { from: "agent", node: "n", key: "k", task: undefined, worker: undefined } as const;
const delta = (text: string, messageId = "m", key = "k"): ProgressNote => ({
  ...about,
  type: "text.delta",
  key,
  data: { type: "text.delta", ...ids, messageId, text },
});
const finished: ProgressNote = {
  ...about,
  type: "message.finished",
  data: { type: "message.finished", ...ids, text: "|" },
};

function texts(notes: readonly ProgressNote[]): string {
  return notes.map(({ data }) => (data as { text?: string }).text ?? "|").join("");
}

test("maskProgress masks a secret that is cut between two pieces", () => {
  expect(texts(collect([delta("it is s3cr3"), delta("t-value."), finished]))).toBe("it is [masked MY_TOKEN].|");
});

test("maskProgress shows what it held back before any other event", () => {
  expect(texts(collect([delta("a s3c"), finished]))).toBe("a s3c|");
});

test("maskProgress keeps messages and visits apart", () => {
  const notes = collect([delta("s3cr3", "a"), delta("t-value", "b"), delta("s3cr3", "a", "other"), finished]);

  expect(texts(notes)).toBe("t-values3cr3|");
});
