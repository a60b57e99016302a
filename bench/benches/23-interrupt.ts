// A run that stops at a question, is answered and resumes, all in one process, on SQLite at full sync: the cost for a
// program that serves users. Each cycle is a separate run.

import { join } from "node:path";
import { createNode, executeGraph, graph, type JournalStore, waitNode } from "../../src/public/graph.ts";
import { SqliteSaver } from "../../src/public/sqlite.ts";
import type { Figures, MeasureContext } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { median } from "../harness/statistics.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

interface ApprovalState {
  executionId: string;
  outputs: Record<string, unknown>;
}

const compiled = graph<ApprovalState>()
  .start(createNode<ApprovalState>({ id: "prepare", execute: async () => undefined }))
  .then(waitNode<ApprovalState>({ id: "approve", prompt: "Go on?" }))
  .then(createNode<ApprovalState>({ id: "finish", execute: async () => undefined }))
  .compile();

interface Lap {
  readonly cpuNs: number;
  readonly wallNs: number;
}

/**
 * Many cycles together: the clock of CPU time ticks in microseconds, and a checkpoint now and then is part of the
 * cost.
 */
const cyclesPerLap = 20;

async function timed(body: () => Promise<void>): Promise<Lap> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await body();
  const wallNs = ((performance.now() - started) * 1e6) / cyclesPerLap;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuNs: ((user + system) * 1e3) / cyclesPerLap, wallNs };
}

async function expectStatus(run: ReturnType<typeof executeGraph>, expected: string): Promise<void> {
  const { status, error } = await run;
  if (status !== expected) throw error ?? new Error(`The run ended as ${status}, and should be ${expected}.`);
}

async function measure({ scale, folder }: MeasureContext): Promise<Figures> {
  const store: JournalStore = new SqliteSaver({ path: join(folder, "runs.sqlite") });
  const laps = scale === "full" ? 30 : 8;
  const seen: Record<"interrupt" | "request" | "resume", Lap[]> = { interrupt: [], request: [], resume: [] };
  for (let lap = 0; lap < laps; lap++) {
    const runs = Array.from({ length: cyclesPerLap }, (_, i) => `run-${lap}-${i}`);
    const each = (body: (run: string) => Promise<void>) => async (): Promise<void> => {
      for (const run of runs) await body(run);
    };
    seen.interrupt.push(
      await timed(each((run) => expectStatus(executeGraph(compiled, { journal: { store, run } }), "paused"))),
    );
    seen.request.push(
      await timed(each((run) => store.request(run, { type: "answer", question: "Go on?", value: "yes" }))),
    );
    seen.resume.push(
      await timed(
        each((run) => expectStatus(executeGraph(compiled, { journal: { store, run, resume: true } }), "completed")),
      ),
    );
  }
  // The first half warms up.
  const of = (name: keyof typeof seen, figure: keyof Lap): number =>
    median(seen[name].slice(laps >> 1).map((lap) => lap[figure]));
  return {
    bothCpu: of("interrupt", "cpuNs") + of("resume", "cpuNs"),
    bothWall: of("interrupt", "wallNs") + of("resume", "wallNs"),
    interruptCpu: of("interrupt", "cpuNs"),
    resumeCpu: of("resume", "cpuNs"),
    requestCpu: of("request", "cpuNs"),
    requestWall: of("request", "wallNs"),
  };
}

export default defineBench({
  title: "Interrupt and resume in one process",
  part: "growth",
  unit: "cycle",
  rounds: { full: 5, quick: 2 },
  subjects: { sqlite: { measure } },
  rows: (measured) => [
    atMost(
      "Interrupt and resume in one process, SQLite, FULL: CPU of both",
      measured.median("sqlite", "bothCpu"),
      0.5e6,
      duration,
    ),
    atMost("Answer it by `request`: CPU", measured.median("sqlite", "requestCpu"), 0.2e6, duration),
    {
      work: "The same: CPU of the interrupt and of the resume; wall of both, and of the request",
      target: "",
      measured: ["interruptCpu", "resumeCpu", "bothWall", "requestWall"]
        .map((figure) => duration(measured.median("sqlite", figure)))
        .join(", "),
      isMet: undefined,
    },
  ],
});
