// Lists that grow by an author's own reducer and by mergeById, against the built-in concat: in many branches that are
// joined, and in a long loop. The cost of one entry must not grow with their number more than it does with concat.

import { entryReducers, flatBranches, growingLoop } from "../engines/branches.ts";
import type { Measured, Row, Subject } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { perUnit } from "../harness/per-unit.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

type Kind = keyof typeof entryReducers;
type Shape = "branches" | "loop";

const sizes = [4_000, 16_000] as const;
const limit = 3;
/** Linear: an entry among four times as many costs as much, give or take what the collector does. */
const linear = 1.5;

const titles: Readonly<Record<Exclude<Kind, "concat">, string>> = {
  own: "an author's own reducer, (a, b) => [...a, ...b]",
  called: "an author's own reducer that filters and appends",
  mergeById: "mergeById",
};

function subject(shape: Shape, kind: Kind, size: number): Subject {
  const make = shape === "branches" ? flatBranches : growingLoop;
  return { measure: ({ scale }) => perUnit(scale, size, make(size, entryReducers[kind])) };
}

function nameOf(shape: Shape, kind: Kind, size: number): string {
  return `${shape}-${kind}-${size}`;
}

function rowsOf(shape: Shape, kind: Exclude<Kind, "concat">, measured: Measured): Row[] {
  const work = (size: number): string =>
    `${size.toLocaleString("en-US")} ${shape === "branches" ? "branches" : "rounds of a loop"} with ${titles[kind]}`;
  const growth =
    measured.median(nameOf(shape, kind, sizes[1]), "cpuNs") / measured.median(nameOf(shape, kind, sizes[0]), "cpuNs");
  return [
    ...sizes.map((size) =>
      atMost(
        `${work(size)}: CPU, against concat`,
        measured.ratio(nameOf(shape, kind, size), nameOf(shape, "concat", size), "cpuNs"),
        limit,
      ),
    ),
    ...(shape === "branches" ? [atMost(`${work(sizes[1])}: CPU of one, against 4,000`, growth, linear)] : []),
  ];
}

function absolutes(shape: Shape, measured: Measured): Row {
  const of = (kind: Kind): string =>
    `${kind} ${sizes.map((size) => duration(measured.median(nameOf(shape, kind, size), "cpuNs"))).join(" / ")}`;
  return {
    work: `The same ${shape === "branches" ? "branches" : "loops"}: CPU of one entry of 4,000 / 16,000`,
    target: "",
    measured: (Object.keys(entryReducers) as Kind[]).map(of).join(", "),
    isMet: undefined,
  };
}

export default defineBench({
  title: "Lists that grow by reducers",
  part: "growth",
  unit: "entry",
  rounds: { full: 5, quick: 1 },
  subjects: Object.fromEntries(
    (["branches", "loop"] as const).flatMap((shape) =>
      (Object.keys(entryReducers) as Kind[]).flatMap((kind) =>
        sizes.map((size) => [nameOf(shape, kind, size), subject(shape, kind, size)]),
      ),
    ),
  ),
  rows: (measured) =>
    (["branches", "loop"] as const).flatMap((shape) => [
      ...rowsOf(shape, "own", measured),
      ...rowsOf(shape, "called", measured),
      ...rowsOf(shape, "mergeById", measured),
      absolutes(shape, measured),
    ]),
});
