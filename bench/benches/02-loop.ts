// A loop of 10,000 steps.

import { defineBench } from "../harness/bench.ts";
import { engineSubjects } from "../harness/engine-subjects.ts";
import { overPlainLoop, underLangGraph } from "../harness/targets.ts";

const title = "Loop of 10,000 steps";

export default defineBench({
  title,
  part: "engine",
  rounds: { full: 7, quick: 3 },
  subjects: engineSubjects({
    units: (scale) => (scale === "full" ? 10_000 : 2_000),
    work: (engine, steps) => engine.loop(steps),
  }),
  rows: (measured) => [...overPlainLoop(title, measured), underLangGraph(title, measured, 200)],
});
