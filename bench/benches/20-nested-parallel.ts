// Parallel nodes inside parallel nodes against one parallel node with as many leaves: the depth of a fork must not make
// its branches expensive.

import { flatBranches, nestedBranches } from "../engines/branches.ts";
import type { Subject } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { perUnit } from "../harness/per-unit.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const pairs = 2 ** 11;
const tens = 10 ** 4;
const limit = 3;

function flat(leaves: number): Subject {
  return { measure: ({ scale }) => perUnit(scale, leaves, flatBranches(leaves)) };
}

function nested(width: number, levels: number): Subject {
  return { measure: ({ scale }) => perUnit(scale, width ** levels, nestedBranches(width, levels)) };
}

export default defineBench({
  title: "Nested parallel nodes",
  part: "growth",
  unit: "leaf",
  rounds: { full: 7, quick: 1 },
  subjects: {
    flatPairs: flat(pairs),
    pairs: nested(2, 11),
    flatTens: flat(tens),
    tens: nested(10, 4),
  },
  rows: (measured) => [
    atMost(
      "2,048 leaves in eleven levels of two: CPU, against one level",
      measured.ratio("pairs", "flatPairs", "cpuNs"),
      limit,
    ),
    atMost(
      "10,000 leaves in four levels of ten: CPU, against one level",
      measured.ratio("tens", "flatTens", "cpuNs"),
      limit,
    ),
    {
      work: "The same, per leaf: 2,048 flat and nested, 10,000 flat and nested",
      target: "",
      measured: ["flatPairs", "pairs", "flatTens", "tens"]
        .map((subject) => duration(measured.median(subject, "cpuNs")))
        .join(", "),
      isMet: undefined,
    },
  ],
});
