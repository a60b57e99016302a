// The same loop at 1,000, 10,000 and 100,000 steps: neither a step nor the memory may grow with the length of the run.
// Memory is what is left on the heap after a collection, measured inside a step during the run.

import { join } from "node:path";
import { createNode, executeGraph, graph } from "../../src/public/graph.ts";
import { SqliteSaver } from "../../src/public/sqlite.ts";
import { atomic } from "../engines/atomic.ts";
import type { MeasureContext, Row, Scale, Subject } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { heapAfterCollection } from "../harness/heap.ts";
import { perUnit } from "../harness/per-unit.ts";
import { atMost } from "../harness/targets.ts";
import { bytes, duration } from "../harness/text.ts";

/** The heap moves by this much from one collection to the next without anything being kept. */
const heapNoiseBytes = 500_000;

interface CountState {
  readonly count: number;
  readonly note: string;
}

function loopOf(steps: (scale: Scale) => number): Subject {
  return { measure: ({ scale }) => perUnit(scale, steps(scale), atomic.loop(steps(scale))) };
}

/** Heap and memory of the process after 1,000 steps and after the last one. */
function memory(isRecorded: boolean): Subject {
  return {
    measure: async ({ scale, folder }: MeasureContext) => {
      const steps = scale === "full" ? 100_000 : 10_000;
      const figures: Record<string, number> = {};
      const look = async (when: string): Promise<void> => {
        figures[`${when}Heap`] = await heapAfterCollection();
        figures[`${when}Rss`] = process.memoryUsage().rss;
      };
      const step = createNode<CountState>({
        id: "advance",
        execute: async ({ state }) => {
          const count = state.count + 1;
          if (count === 1_000) await look("early");
          if (count === steps) await look("late");
          return { stateUpdate: { count, note: `step ${count} ${"x".repeat(200)}` } };
        },
      });
      const compiled = graph<CountState>()
        .start(createNode<CountState>({ id: "start", execute: async () => undefined }))
        .loop(step, { until: (state) => state.count >= steps, maxIterations: 0 })
        .compile({ maxSteps: 0 });
      const store = new SqliteSaver({ path: join(folder, "runs.sqlite"), sync: "normal" });
      const { status, error } = await executeGraph(compiled, {
        initialState: { count: 0, note: "" },
        ...(isRecorded ? { journal: { store, run: "memory" } } : {}),
      });
      if (status !== "completed") throw error ?? new Error(`The run ended as ${status}.`);
      return { ...figures, grownHeap: (figures["lateHeap"] ?? 0) - (figures["earlyHeap"] ?? 0) };
    },
  };
}

function grown(work: string, by: number, from: number): Row {
  return {
    work,
    target: `at most ${bytes(heapNoiseBytes)} more`,
    measured: `${by > 0 ? "+" : ""}${bytes(by)} on ${bytes(from)}`,
    isMet: by <= heapNoiseBytes,
  };
}

export default defineBench({
  title: "Loop of 1k, 10k and 100k steps",
  part: "engine",
  rounds: { full: 7, quick: 3 },
  subjects: {
    "1k": loopOf(() => 1_000),
    "10k": loopOf(() => 10_000),
    "100k": loopOf(() => 100_000),
    memory: { ...memory(false), isSlow: true },
    recorded: { ...memory(true), isSlow: true },
  },
  rows: (measured) => [
    {
      work: "Loop of 1k / 10k / 100k steps: CPU per step",
      target: "",
      measured: ["1k", "10k", "100k"].map((size) => duration(measured.median(size, "cpuNs"))).join(" / "),
      isMet: undefined,
    },
    atMost("A step of 100k, against a step of 1k: CPU", measured.ratio("100k", "1k", "cpuNs"), 1.2),
    grown(
      "Heap after 100k steps, against 1k: no journal",
      measured.median("memory", "grownHeap"),
      measured.median("memory", "earlyHeap"),
    ),
    grown(
      "Heap after 100k steps, against 1k: recorded in SQLite",
      measured.median("recorded", "grownHeap"),
      measured.median("recorded", "earlyHeap"),
    ),
    {
      work: "Memory of the process after 100k steps, recorded in SQLite",
      target: "",
      measured: bytes(measured.median("recorded", "lateRss")),
      isMet: undefined,
    },
  ],
});
