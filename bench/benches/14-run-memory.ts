// Ten thousand iterations of one run: what is left on the heap after a collection must not grow with their number.

import type { AgentClient } from "../../src/agents/port.ts";
import type { Figures, MeasureContext, Measured, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { heapAfterCollection } from "../harness/heap.ts";
import { bytes } from "../harness/text.ts";

/** The heap moves by this much from one collection to the next without anything being kept. */
const heapNoiseBytes = 500_000;

/** Measures the heap before the turns with these numbers. */
function watched(client: AgentClient, at: Readonly<Record<number, () => Promise<void>>>): AgentClient {
  let turns = 0;
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "open") return typeof value === "function" ? (value.bind(target) as unknown) : value;
      return async (...args: Parameters<AgentClient["open"]>) => {
        await at[++turns]?.();
        return target.open(...args);
      };
    },
  });
}

async function measure({ scale, folder }: MeasureContext): Promise<Figures> {
  if (typeof Bun === "undefined") return {};
  const { makeClient, runRalph } = await import("../harness/ralph-run.ts");
  const iterations = scale === "full" ? 10_000 : 2_000;
  const figures: Record<string, number> = {};
  const look = (name: string) => async (): Promise<void> => {
    figures[`${name}Heap`] = await heapAfterCollection();
    figures[`${name}Rss`] = process.memoryUsage().rss;
  };
  const client = watched(makeClient(), { 1000: look("early"), [iterations]: look("late") });
  const { reason } = await runRalph({
    folder,
    client,
    prompt: "Go on",
    maxIterations: iterations,
    options: { yolo: true },
  });
  if (reason !== "budget") throw new Error(`the run stopped for another reason: ${reason}`);
  return { ...figures, grownHeap: (figures["lateHeap"] ?? 0) - (figures["earlyHeap"] ?? 0) };
}

function rows(measured: Measured): readonly Row[] {
  const grown = measured.median("atomic", "grownHeap");
  if (!Number.isFinite(grown)) return [];
  const early = measured.median("atomic", "earlyHeap");
  return [
    {
      work: "Heap after 10,000 iterations of a run, against 1,000",
      target: `at most ${bytes(heapNoiseBytes)} more`,
      measured: `${grown < 0 ? "" : "+"}${bytes(grown)} on ${bytes(early)}`,
      isMet: grown <= heapNoiseBytes,
    },
    {
      work: "Memory of the process after 1,000 and after 10,000 iterations",
      target: "",
      measured: `${bytes(measured.median("atomic", "earlyRss"))}, ${bytes(measured.median("atomic", "lateRss"))}`,
      isMet: undefined,
    },
  ];
}

export default defineBench({
  title: "Run ten thousand iterations",
  part: "program",
  unit: "iteration",
  rounds: { full: 1, quick: 1 },
  subjects: { atomic: { measure } },
  rows,
});
