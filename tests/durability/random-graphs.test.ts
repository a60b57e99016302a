// Random graphs, run in random orders and killed at random records: the same recorded outcomes always give the same
// state, keys and decisions. A failure prints the graph, made as small as it can be, and the seed that finds it again.
// ATOMIC_RANDOM_RUNS makes it longer (`npm run matrix:random` does), ATOMIC_RANDOM_SEED looks elsewhere.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { baseline, checkOtherOrder, checkResume, cutsOf, isValid } from "./random-checks.ts";
import { type Finding, findings, type How } from "./random-findings.ts";
import { graphSpec, type GraphSpec, type SpecOptions } from "./random-spec.ts";

const runs = Number(process.env["ATOMIC_RANDOM_RUNS"] ?? 8);
const seed = Number(process.env["ATOMIC_RANDOM_SEED"] ?? 1);
const timeoutMs = 60_000 + runs * 2_000;

const how = fc.record({ eagerSnapshots: fc.boolean(), answersFirst: fc.boolean(), slowStore: fc.boolean() });
const lowLimit = how.map((chosen): How => ({ ...chosen, lowLimit: true }));
const careless = how.map((chosen): How => ({ ...chosen, isCareless: true }));

/** True when there was something to compare. */
async function check(spec: GraphSpec, order: number, { eagerSnapshots, ...rest }: How): Promise<boolean> {
  if (!isValid(spec)) return false;
  const options = { ...rest, eagerSnapshots, ...(eagerSnapshots ? { snapshotEvery: 1 } : {}) };
  const live = await baseline(spec, { ...options, lowLimit: false, seed: order });
  if (live === undefined) return false;
  await checkOtherOrder(spec, live, { ...options, seed: order + 1 });
  for (const cut of cutsOf(live.tape, 6, order)) {
    const resumed = await checkResume(spec, live, cut, { ...options, seed: order + cut.at });
    // Killed once more while it was resumed.
    const more = cutsOf(resumed.tape, 1, order + cut.at).filter(({ at }) => at > cut.at);
    for (const second of more) await checkResume(spec, resumed, second, { ...options, seed: order + second.at });
  }
  return true;
}

async function search(options: SpecOptions, ways: fc.Arbitrary<How> = how): Promise<void> {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(graphSpec(options), fc.nat(), ways, async (spec, order, chosen) => {
      if (await check(spec, order, chosen)) compared++;
    }),
    { numRuns: runs, seed },
  );
  // A search that throws most of what it makes away looks at nothing.
  expect(compared).toBeGreaterThanOrEqual(runs / 2);
}

test("graphs that broke once hold, in any order and killed anywhere", async () => {
  for (const [spec, order, chosen] of findings satisfies readonly Finding[]) {
    for (const other of [0, 1, 2]) expect(await check(spec, order + other, chosen)).toBe(true);
  }
}, 60_000);

test(
  "any graph ends the same whatever finishes first and wherever it is killed",
  () => search({ races: false, failures: false, questions: true }),
  timeoutMs,
);

test(
  "a graph with races ends the same for the same winners",
  () => search({ races: true, failures: false, questions: true }),
  timeoutMs,
);

test(
  "a graph with unhandled failures fails, or is caught, the same way",
  () => search({ races: false, failures: true, questions: true }),
  timeoutMs,
);

test(
  "a graph whose functions change everything they are lent ends the same",
  () => search({ races: false, failures: false, questions: true }, careless),
  timeoutMs,
);

test(
  "a graph with races and failures whose functions change everything they are lent ends the same",
  () => search({ races: true, failures: true, questions: true }, careless),
  timeoutMs,
);

test(
  "a graph that repeatedly reaches its step limit, and resumes when it is raised, ends the same",
  () => search({ races: false, failures: false, questions: true }, lowLimit),
  timeoutMs,
);
