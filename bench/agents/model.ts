// The model of the agent benches, in a separate process so that its work is not counted as the host's: model.ts KIND.
// Prints its address, and serves until its input ends.

import { join } from "node:path";
import { startModelServer } from "../../src/testing/model-server/model-server.ts";
import type { ModelAnswer, Scenario } from "../../src/testing/model-server/scenario.ts";
import type { RigBackend } from "../../tests/agents/rig.ts";
import { deltaCount, pieceDelayMs, toolsPerTask, type Size } from "./sizes.ts";

/** The server writes text in pieces of this many characters. */
const pieceChars = 12;

const [kind = ""] = process.argv.slice(2);
const { rigBackend } = (await import(join(import.meta.dirname, `../../tests/agents/backends/${kind}.ts`))) as {
  readonly rigBackend: RigBackend;
};
const { vocabulary: words, open, otherModel } = rigBackend;

const text = (pieces: number): string => "eleven ch. ".padEnd(pieceChars).repeat(pieces);

/** A typical piece of work: some text and a tool call, several times, then a summary. */
function task(folder: string): readonly ModelAnswer[] {
  const steps = Array.from({ length: toolsPerTask }, (_, step) => ({
    text: text(40),
    tools: [
      step % 2 === 0
        ? words.write(`${folder}/file-${step}.txt`, `${text(20)}\n`)
        : words.shell(`cat '${folder}/file-${step - 1}.txt'`),
    ],
  }));
  return [...steps, { text: text(200) }];
}

const scenarios: Readonly<Record<Size | "file", Scenario>> = {
  file: ({ folder }) => [{ tools: [words.write(`${folder}/file-0.txt`, "one\n")] }, { text: text(20) }],
  answer: [{ text: text(5) }],
  burst: ({ folder }) => task(folder),
  task: ({ folder }) => task(folder).map((answer) => ({ ...answer, pieceDelayMs })),
  flood: [{ text: text(deltaCount) }],
};
const server = await startModelServer({ scenarios, models: [String(open.model), otherModel] });
console.log(server.url);
process.stdin.resume().once("end", () => void server.close());
