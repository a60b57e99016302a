// Resuming a run with a large state, against reading the same bytes from a file and parsing them: in a process that has
// done it before, and in a fresh one. From opening the store to the first new step.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createNode, executeGraph, graph, pauseWith } from "../../src/public/graph.ts";
import { SqliteSaver } from "../../src/public/sqlite.ts";
import type { Figures, MeasureContext, Measured, Row, Subject } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { runHelper } from "../harness/run-helper.ts";
import { median } from "../harness/statistics.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const limit = 2;
const megabyte = 1_000_000;
const run = "large";
const files = { database: "runs.sqlite", state: "state.json" } as const;

interface RecordState {
  readonly count: number;
  readonly records: readonly { readonly id: string; readonly title: string; readonly text: string }[];
}

/** Records of about 200 bytes, as a list of tasks or of findings has them. */
function stateOf(bytes: number): RecordState {
  const text = "What was found, and what is to be done about it, in a sentence or two of plain words. ";
  const records = Array.from({ length: bytes / 200 }, (_, i) => ({
    id: `record-${i}`,
    title: `Record number ${i}`,
    text: `${text}${String(i).padStart(6, "0")} ${text.slice(0, 30)}`,
  }));
  return { count: 0, records };
}

interface Resumable {
  readonly folder: string;
  readonly resume: boolean;
  readonly bytes?: number;
  readonly onFirstStep?: () => void;
}

/** Runs one step, or one more, and pauses. */
async function runToPause({ folder, resume, bytes = 0, onFirstStep }: Resumable): Promise<void> {
  const controller = new AbortController();
  const step = createNode<RecordState>({
    id: "step",
    execute: async ({ state }) => {
      onFirstStep?.();
      controller.abort(pauseWith("paused"));
      return { stateUpdate: { count: state.count + 1 } };
    },
  });
  const compiled = graph<RecordState>()
    .start(createNode<RecordState>({ id: "start", execute: async () => undefined }))
    .loop(step, { until: () => false, maxIterations: 0 })
    .compile({ maxSteps: 0 });
  const { status, error } = await executeGraph(compiled, {
    ...(resume ? {} : { initialState: stateOf(bytes) }),
    journal: { store: new SqliteSaver({ path: join(folder, files.database) }), run, resume },
    signal: controller.signal,
  });
  if (status !== "paused") throw error ?? new Error(`The run ended as ${status}, and should have paused.`);
}

function cpuNs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1e3;
}

async function timeResume(folder: string): Promise<number> {
  const before = cpuNs();
  let spent = Number.NaN;
  await runToPause({ folder, resume: true, onFirstStep: () => (spent = cpuNs() - before) });
  return spent;
}

function timeParse(folder: string): number {
  const before = cpuNs();
  const state = JSON.parse(readFileSync(join(folder, files.state), "utf8")) as RecordState;
  if (state.count !== 0) throw new Error("The file holds another state.");
  return cpuNs() - before;
}

async function warm(folder: string, times: number): Promise<Figures> {
  const resumes: number[] = [];
  const parses: number[] = [];
  for (let i = 0; i < times; i++) {
    resumes.push(await timeResume(folder));
    parses.push(timeParse(folder));
  }
  const later = (values: readonly number[]): number => median(values.slice(times >> 1));
  return { warmResume: later(resumes), warmParse: later(parses) };
}

function largeState(bytes: number): Subject {
  return {
    measure: async (context: MeasureContext) => {
      writeFileSync(join(context.folder, files.state), JSON.stringify(stateOf(bytes)));
      await runToPause({ folder: context.folder, resume: false, bytes });
      return {
        ...(await warm(context.folder, context.scale === "full" ? 30 : 10)),
        ...runHelper("freshResume", context),
        ...runHelper("freshParse", context),
      };
    },
  };
}

function rowsOf(name: string, subject: string, measured: Measured): Row[] {
  return [
    atMost(
      `Resume with ${name} of state: CPU, against reading and parsing it`,
      measured.ratioWithin(subject, "warmResume", "warmParse"),
      limit,
    ),
    {
      work: `The same, and in a fresh process: resume and parse`,
      target: "",
      measured: ["warmResume", "warmParse", "freshResume", "freshParse"]
        .map((figure) => duration(measured.median(subject, figure)))
        .join(", "),
      isMet: undefined,
    },
  ];
}

export default defineBench({
  title: "Resume with a large state",
  part: "growth",
  unit: "resume",
  rounds: { full: 5, quick: 2 },
  subjects: {
    "1": largeState(megabyte),
    "10": largeState(10 * megabyte),
    freshResume: {
      isHelper: true,
      measure: async ({ folder }) => ({ freshResume: await timeResume(folder) }),
    },
    freshParse: {
      isHelper: true,
      measure: async ({ folder }) => ({ freshParse: timeParse(folder) }),
    },
  },
  rows: (measured) => [...rowsOf("1 MB", "1", measured), ...rowsOf("10 MB", "10", measured)],
});
