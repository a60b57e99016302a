// A fresh process that imports the engine and compiles five nodes, against one that does nothing: the difference is
// what a program pays for using the engine. From the package as it is shipped, and from the sources (Bun only).

import type { Measured, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const limitNs = 5e6;

function over(measured: Measured, subject: string, empty: string): number {
  return measured.median(subject, "wallNs") - measured.median(empty, "wallNs");
}

/** For comparison: a clone pays for compiling its sources, users get the package. */
function fromSource(measured: Measured): readonly Row[] {
  if (!measured.has("source")) return [];
  const difference = over(measured, "source", "emptySource");
  const work = "Import and compile five nodes, from source: over an empty program";
  return [{ work, target: "", measured: duration(difference), isMet: undefined }];
}

export default defineBench({
  title: "Import the engine and compile five nodes, in a fresh process",
  part: "engine",
  unit: "process",
  rounds: { full: 40, quick: 20 },
  subjects: {
    emptySource: { program: { bun: "programs/empty.ts", node: undefined } },
    source: { program: { bun: "programs/five-nodes.ts", node: undefined } },
    emptyBundle: { program: { bun: "programs/empty.mjs", node: "programs/empty.mjs" } },
    bundle: { program: { bun: "programs/five-nodes.mjs", node: "programs/five-nodes.mjs" } },
  },
  rows: (measured) => [
    atMost(
      "Import and compile five nodes, from the package: over an empty program",
      over(measured, "bundle", "emptyBundle"),
      limitNs,
      duration,
    ),
    ...fromSource(measured),
  ],
});
