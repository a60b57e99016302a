// What `compiled.execute(state)` and `.run(state)` do: run to the end and return the state, or throw.

import { AtomicError } from "../../../lib/errors.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import { getDefaultRuntime } from "../model/default-runtime.ts";
import { executeGraph } from "./execute.ts";
import type { Runtime } from "../model/runtime.ts";

export async function runToState<S extends object>(
  graph: CompiledGraph<S>,
  state: Partial<S>,
  runtime?: Runtime,
): Promise<S> {
  const used = runtime ?? getDefaultRuntime();
  const journal = graph.config.checkpointing === true ? await openCheckpoints(graph, state, used) : undefined;
  const result = await executeGraph(graph, { initialState: state, runtime: used, journal });
  if (result.status === "completed") return result.state;
  if (result.error !== undefined) throw result.error;
  const waits = result.questions.map((question) => `"${question.text}"`).join(", ");
  throw new AtomicError(
    "NODE_FAILED",
    `The graph did not finish: ${result.status}${waits === "" ? "" : `, it waits for an answer to ${waits}`}. Use executeGraph with a journal to pause and resume it.`,
  );
}

async function openCheckpoints<S extends object>(graph: CompiledGraph<S>, state: Partial<S>, runtime: Runtime) {
  const { checkpointDir } = graph.config;
  if (runtime.checkpoints === undefined) {
    throw new AtomicError(
      "RUNTIME_MISSING",
      'compile({ checkpointing: true }) needs a place to write, and this build of atomic/workflows/graph has no files: it is the one for browsers and edge runtimes. Run it on Bun, Node or Deno, bundle it with the condition "node", or pass a journal to executeGraph.',
    );
  }
  const dir = typeof checkpointDir === "function" ? checkpointDir(state as S) : checkpointDir;
  return { store: await runtime.checkpoints(dir), run: runtime.ids.next() };
}
