// A chain of 100 nodes that do nothing: what the engine costs when the work itself costs nothing.

import { defineBench } from "../harness/bench.ts";
import { engineSubjects } from "../harness/engine-subjects.ts";
import { overPlainLoop, underLangGraph } from "../harness/targets.ts";

const title = "Chain of 100 no-op nodes";

export default defineBench({
  title,
  part: "engine",
  rounds: { full: 7, quick: 3 },
  subjects: engineSubjects({ units: () => 100, work: (engine, length) => engine.chain(length) }),
  rows: (measured) => [...overPlainLoop(title, measured), underLangGraph(title, measured, 200)],
});
