// The updates of a loop of 10,000 steps, read one by one while it runs.

import { defineBench } from "../harness/bench.ts";
import { engineSubjects } from "../harness/engine-subjects.ts";
import { overPlainLoop } from "../harness/targets.ts";

const title = "Updates stream of 10,000 steps";

export default defineBench({
  title,
  part: "engine",
  rounds: { full: 7, quick: 3 },
  subjects: engineSubjects({
    units: (scale) => (scale === "full" ? 10_000 : 2_000),
    work: (engine, steps) => engine.stream(steps),
  }),
  rows: (measured) => [...overPlainLoop(title, measured)],
});
