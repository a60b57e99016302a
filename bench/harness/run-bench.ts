// One bench on all runtimes, round after round: every subject of every runtime once, then again. So all of them see
// the same machine, whatever else it does meanwhile.

import type { Bench, Scale } from "./bench.ts";
import { measureProgram, measureSubject } from "./run-child.ts";
import type { BenchRuntime } from "./runtimes.ts";
import { Rounds } from "./statistics.ts";

/** Enough for a median; the slow ones need seconds for each. */
const slowRounds = 3;

export async function runBench(
  bench: Bench,
  name: string,
  runtimes: readonly BenchRuntime[],
  scale: Scale,
): Promise<ReadonlyMap<BenchRuntime, Rounds>> {
  const measured = new Map(runtimes.map((runtime) => [runtime, new Rounds()]));
  for (let round = 0; round < bench.rounds[scale]; round++) {
    for (const [subject, given] of Object.entries(bench.subjects)) {
      for (const [runtime, rounds] of measured) {
        if ("program" in given) {
          const figures = await measureProgram(runtime, given);
          if (figures !== undefined) rounds.add(subject, figures);
        } else if (given.isHelper === true) {
          continue;
        } else if (given.isSlow !== true || round < (scale === "quick" ? 1 : slowRounds)) {
          rounds.add(subject, await measureSubject(runtime, { bench: name, subject, scale }));
        }
      }
    }
  }
  return measured;
}
