// A node run for each item of a list, against a parallel node with as many branches.

import { flatBranches, mappedItems } from "../engines/branches.ts";
import { defineBench } from "../harness/bench.ts";
import { perUnit } from "../harness/per-unit.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const sizes = [1_000, 16_000] as const;
const limit = 2;

export default defineBench({
  title: "Items of a mapNode",
  part: "growth",
  unit: "item",
  rounds: { full: 7, quick: 1 },
  subjects: Object.fromEntries(
    sizes.flatMap((size) => [
      [`parallel-${size}`, { measure: ({ scale }) => perUnit(scale, size, flatBranches(size)) }],
      [`map-${size}`, { measure: ({ scale }) => perUnit(scale, size, mappedItems(size)) }],
    ]),
  ),
  rows: (measured) => [
    ...sizes.map((size) =>
      atMost(
        `mapNode over ${size.toLocaleString("en-US")} items: CPU, against as many branches`,
        measured.ratio(`map-${size}`, `parallel-${size}`, "cpuNs"),
        limit,
      ),
    ),
    {
      work: "The same, per item: branches and items, 1,000 and 16,000",
      target: "",
      measured: sizes
        .flatMap((size) => [`parallel-${size}`, `map-${size}`])
        .map((subject) => duration(measured.median(subject, "cpuNs")))
        .join(", "),
      isMet: undefined,
    },
  ],
});
