// The program that the kill matrix starts and kills: runs one graph of the matrix on one store, once, and says on
// standard output how that ended. Its one argument is a ChildTask as JSON.

import { AsyncLocalStorage } from "node:async_hooks";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { FileSaver } from "../../../src/journal/files/file-saver.ts";
import type { JournalStore } from "../../../src/journal/port.ts";
import { SqliteSaver } from "../../../src/journal/sqlite/sqlite-saver.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { AtomicError, type ErrorCode } from "../../../src/lib/errors.ts";
import type { Json } from "../../../src/lib/json.ts";
import { provideAsyncContext } from "../../../src/workflows/graph/run/load-runs.ts";
import type { StepScope } from "../../../src/workflows/graph/run/step-scope.ts";
import { executeGraph } from "../../../src/workflows/graph/run/execute.ts";
import { Effects } from "./effects.ts";
import { GraphKit } from "./graph-kit.ts";
import { matrixGraphs } from "./graphs.ts";
import { type Kill, KillingStore } from "./killing-store.ts";

export type StoreName = "sqlite" | "files";

export interface ChildTask {
  readonly graph: string;
  readonly store: StoreName;
  readonly folder: string;
  readonly resume: boolean;
  readonly snapshotEvery: number;
  readonly kill?: Kill;
}

export type ChildReport =
  | {
      readonly status: string;
      readonly error?: string;
      readonly state: Json;
      readonly questions: readonly { readonly id: string; readonly text: string }[];
      readonly writes: number;
    }
  | { readonly refused: ErrorCode; readonly message: string };

export const runId = "run";

provideAsyncContext(async () => () => new AsyncLocalStorage<StepScope>());

export function openStore(name: StoreName, folder: string): JournalStore {
  return name === "sqlite" ? new SqliteSaver({ path: join(folder, "runs.db") }) : new FileSaver({ dir: folder });
}

export function effectsIn(folder: string): Effects {
  return new Effects(join(folder, "effects.jsonl"));
}

/** Time stands still, so that runs that were killed and runs that were not can be compared to the last byte. */
export const stillClock: Clock = {
  now: () => Date.UTC(2030, 0, 1),
  sleep: (_ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, 1);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
};

export async function runChild(task: ChildTask): Promise<ChildReport> {
  const made = matrixGraphs[task.graph]?.(new GraphKit(effectsIn(task.folder)));
  if (made === undefined) throw new Error(`the matrix has no graph "${task.graph}"`);
  const store = new KillingStore(openStore(task.store, task.folder), task.kill);
  try {
    const result = await executeGraph(made.graph, {
      journal: { store, run: runId, resume: task.resume },
      runtime: {
        clock: stillClock,
        isStrict: true,
        ...(made.workflows === undefined ? {} : { workflows: made.workflows }),
      },
      snapshotEvery: task.snapshotEvery,
    });
    return {
      status: result.status,
      ...(result.error === undefined ? {} : { error: result.error.message }),
      state: result.state as object as Json,
      questions: result.questions.map(({ id, text }) => ({ id, text })),
      writes: store.writes,
    };
  } catch (error) {
    if (!AtomicError.is(error)) throw error;
    return { refused: error.code, message: error.message };
  }
}

if (import.meta.main) {
  const report = await runChild(JSON.parse(process.argv[2] ?? "") as ChildTask);
  writeSync(1, JSON.stringify(report));
}
