// Runs a random graph to its end, through every pause, and says what came out.

import { AsyncLocalStorage } from "node:async_hooks";
import { AtomicError } from "../../src/lib/errors.ts";
import type { Json } from "../../src/lib/json.ts";
import { provideAsyncContext } from "../../src/workflows/graph/run/load-runs.ts";
import type { StepScope } from "../../src/workflows/graph/run/step-scope.ts";
import { executeGraph } from "../../src/workflows/graph/run/execute.ts";
import { buildGraph } from "./random-graph.ts";
import type { GraphSpec } from "./random-spec.ts";
import type { RandomState, World } from "./random-state.ts";
import { Scheduler } from "./scheduler.ts";
import { recordedKeys, recordedWinners, TapeStore, type TapeOptions, type Written } from "./tape.ts";
import type { MemorySaver } from "../../src/journal/memory.ts";

export interface Ran {
  readonly status: string;
  readonly error: string | undefined;
  readonly state: Partial<RandomState>;
  readonly tape: readonly Written[];
  readonly keys: readonly string[];
  readonly winners: Readonly<Record<string, string>>;
  /** Bodies that ran, by key. */
  readonly ran: readonly string[];
}

export interface RunOptions extends TapeOptions {
  readonly seed: number;
  /** Resume from what this store holds. */
  readonly from?: MemorySaver;
  readonly failures?: World["failures"];
  readonly snapshotEvery?: number;
  /** Answers are there from the start; otherwise the run pauses for them. */
  readonly answersFirst?: boolean;
  /** Appends wait for the scheduler. */
  readonly slowStore?: boolean;
  /** The limit of steps is reached again and again, and raised each time. */
  readonly lowLimit?: boolean;
  /** Authors' functions change everything they are lent in place. */
  readonly isCareless?: boolean;
}

export const runId = "run";

provideAsyncContext(async () => () => new AsyncLocalStorage<StepScope>());

/** A graph that takes more has no end. */
const stepLimit = 150;

export async function runRandom(spec: GraphSpec, options: RunOptions): Promise<Ran> {
  const scheduler = new Scheduler(options.seed);
  const world: World = { scheduler, ran: [], failures: options.failures ?? new Map(), isCareless: options.isCareless };
  const graph = buildGraph(spec, world);
  const delay = options.slowStore === true ? (): Promise<void> => scheduler.turn() : undefined;
  const store = new TapeStore({ eagerSnapshots: options.eagerSnapshots ?? false, delay }, options.from);
  let resume = options.from !== undefined;
  let maxSteps = options.lowLimit === true ? 4 : stepLimit;
  let answers: Record<string, Json> = options.answersFirst === true ? answersOf(graph.nodes.keys()) : {};
  for (let rounds = 0; ; rounds++) {
    const result = await scheduler.drive(
      executeGraph(graph, {
        journal: { store, run: runId, resume },
        runtime: { clock: scheduler.clock, isStrict: options.isCareless !== true },
        ...(options.snapshotEvery === undefined ? {} : { snapshotEvery: options.snapshotEvery }),
        answers,
        maxSteps,
      }),
    );
    if (result.status === "paused" && result.reason === "budget" && maxSteps < stepLimit) {
      maxSteps += 4;
      resume = true;
      continue;
    }
    if (result.status === "paused" && result.reason !== "budget") {
      if (result.reason !== "needs-human" || result.questions.length === 0 || rounds > 50)
        throw new Error(`paused for ${result.reason}, ${result.questions.length} questions, round ${rounds}`);
      answers = { ...answers, ...Object.fromEntries(result.questions.map(({ text }) => [text, answerTo(text)])) };
      resume = true;
      continue;
    }
    const { lastUpdated: _, ...state } = result.state as RandomState & { lastUpdated?: string };
    return {
      status: result.status,
      error: result.error === undefined ? undefined : `${codeOf(result.error)} ${result.error.message}`,
      state,
      tape: store.tape,
      keys: recordedKeys(store.tape),
      winners: recordedWinners(store.tape),
      ran: world.ran,
    };
  }
}

function codeOf(error: Error): string {
  return AtomicError.is(error) ? error.code : error.name;
}

function answerTo(text: string): Json {
  return { text: `answer to ${text}`, words: text.split(" ") };
}

function answersOf(ids: Iterable<string>): Record<string, Json> {
  return Object.fromEntries([...ids].map((id) => [`What about ${id}?`, answerTo(`What about ${id}?`)]));
}
