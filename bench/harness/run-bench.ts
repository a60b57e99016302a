// One bench on all runtimes, round after round: every subject of every runtime once, then again. So all of them see
// the same machine, whatever else it does meanwhile.

import type { Bench, Scale } from "./bench.ts";
import { measureProgram, measureSubject } from "./run-child.ts";
import type { BenchRuntime } from "./runtimes.ts";
import { Rounds } from "./statistics.ts";

/** The slow ones need seconds for each, and are far from every target. */
const roundsPerSlowOne = 3;

export async function runBench(
  bench: Bench,
  name: string,
  runtimes: readonly BenchRuntime[],
  scale: Scale,
  maxRounds: number,
): Promise<ReadonlyMap<BenchRuntime, Rounds>> {
  const measured = new Map(runtimes.map((runtime) => [runtime, new Rounds()]));
  // Starting a program is quick and varies: those keep their rounds.
  const isQuick = Object.values(bench.subjects).every((subject) => "program" in subject);
  const count = isQuick ? bench.rounds[scale] : Math.min(bench.rounds[scale], maxRounds);
  for (let round = 0; round < count; round++) {
    for (const [subject, given] of Object.entries(bench.subjects)) {
      for (const [runtime, rounds] of measured) {
        if ("program" in given) {
          const figures = await measureProgram(runtime, given);
          if (figures !== undefined) rounds.add(subject, round, figures);
        } else if (given.isHelper === true || (given.onlyOn ?? runtime.name) !== runtime.name) {
          continue;
        } else if (given.isSlow !== true || round % roundsPerSlowOne === 0) {
          rounds.add(subject, round, await measureSubject(runtime, { bench: name, subject, scale }));
        }
      }
    }
  }
  return measured;
}
