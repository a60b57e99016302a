// A run in a separate process, for tests that control it from another one. Reports on standard output, one JSON line
// at a time: each node that begins, each question that is open, and how the run ended.

import { appendFileSync, existsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { AtomicError } from "../../../src/lib/errors.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { graph } from "../../../src/workflows/graph/build/builder.ts";
import type { CompiledGraph } from "../../../src/workflows/graph/compile/compiled-graph.ts";
import { executeGraph } from "../../../src/workflows/graph/run/execute.ts";
import type { NodeDefinition } from "../../../src/workflows/graph/model/node.ts";
import { createNode } from "../../../src/workflows/graph/nodes/create-node.ts";
import { waitNode } from "../../../src/workflows/graph/nodes/wait.ts";
import { annotation, type BaseState, Reducers } from "../../../src/workflows/graph/model/state.ts";
import { openStore, runId, type StoreName } from "../matrix/child.ts";

export interface LiveTask {
  readonly graph: keyof typeof liveGraphs;
  readonly store: StoreName;
  readonly folder: string;
  readonly resume: boolean;
  readonly stay?: boolean;
}

export interface LiveState extends BaseState {
  log: string[];
}

const annotations = { log: annotation<string[]>([], Reducers.concat) };

export type MakeLiveGraph = (folder: string) => CompiledGraph<LiveState>;

export const liveGraphs = {
  /** Stands at `gate` until there is a file `go`. */
  gated: (folder) => graph(annotations).start(say(folder, "a")).then(gate(folder)).then(say(folder, "b")).compile(),

  asking: (folder) =>
    graph(annotations)
      .start(say(folder, "a"))
      .wait(
        waitNode<LiveState>({
          id: "ask",
          prompt: "Go on?",
          outputMapper: (answer) => ({ log: [`answer ${answer as string}`] }),
        }),
      )
      .then(say(folder, "b"))
      .compile(),

  /** Writes more than a small disk holds. */
  hungry: (folder) =>
    graph(annotations)
      .start(say(folder, "a"))
      .loop(
        createNode<LiveState>({
          id: "eat",
          execute: ({ visit }) => {
            ran(folder, "eat");
            return { stateUpdate: { log: [`${visit} `.padEnd(8_000, "x")] } };
          },
        }),
        { until: ({ log }) => log.length > 60 },
      )
      .then(say(folder, "b"))
      .compile(),
} satisfies Readonly<Record<string, MakeLiveGraph>>;

export function goFile(folder: string): string {
  return join(folder, "go");
}

/** Bodies that ran, in all processes. */
export function ranFile(folder: string): string {
  return join(folder, "ran.txt");
}

function ran(folder: string, id: string): void {
  try {
    appendFileSync(ranFile(folder), `${id}\n`);
  } catch {
    // The disk is full: that is what is tested.
  }
}

function say(folder: string, id: string): NodeDefinition<LiveState> {
  return createNode<LiveState>({
    id,
    execute: () => {
      ran(folder, id);
      return { stateUpdate: { log: [id] } };
    },
  });
}

function gate(folder: string): NodeDefinition<LiveState> {
  return createNode<LiveState>({
    id: "gate",
    execute: async ({ signal }) => {
      ran(folder, "gate");
      while (!existsSync(goFile(folder))) {
        signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return { stateUpdate: { log: ["gate"] } };
    },
  });
}

function report(message: JsonObject): void {
  writeSync(1, `${JSON.stringify(message)}\n`);
}

export async function runLive(task: LiveTask): Promise<void> {
  try {
    const { status, reason, state, error } = await executeGraph(liveGraphs[task.graph](task.folder), {
      journal: { store: openStore(task.store, task.folder), run: runId, resume: task.resume },
      ...(task.stay === true ? { questions: "stay" as const } : {}),
      onEvent: (event) => {
        if (event.type === "node.started") report({ began: event.node });
        if (event.type === "question.asked") report({ asked: event.node });
      },
    });
    report({
      ended: status,
      ...(reason === undefined ? {} : { reason }),
      ...(error === undefined ? {} : { error: error.message }),
      log: state.log.map((line) => line.trim().slice(0, 20)),
    });
  } catch (error) {
    if (!AtomicError.is(error)) throw error;
    report({ refused: error.code, message: error.message });
  }
}

if (import.meta.main) await runLive(JSON.parse(process.argv[2] ?? "") as LiveTask);
