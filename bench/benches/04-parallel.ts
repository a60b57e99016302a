// 1,000 branches in parallel, each adding one item to a list: forks, joins and merges.

import { defineBench } from "../harness/bench.ts";
import { engineSubjects } from "../harness/engine-subjects.ts";
import { overFloor } from "../harness/targets.ts";

const title = "1,000 parallel branches, merged by concat";

export default defineBench({
  title,
  part: "engine",
  unit: "branch",
  rounds: { full: 7, quick: 3 },
  subjects: engineSubjects({ units: () => 1_000, work: (engine, branches) => engine.parallel(branches) }),
  rows: (measured) => [overFloor(title, measured, 3)],
});
