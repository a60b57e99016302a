// Runs a graph to an end: completed, failed, paused or cancelled. Opens and closes its agents and its journal; the run
// itself is in execution.ts. Loaded by the first run (load-runs.ts); others call execute.ts and run-to-state.ts.

import { AtomicError } from "../../../lib/errors.ts";
import { CompiledGraph } from "../compile/compiled-graph.ts";
import type { RunBridge } from "../model/agent-source.ts";
import type { Runtime } from "../model/runtime.ts";
import type { ExecuteOptions, ExecutionResult } from "./execute-options.ts";
import { Execution } from "./execution.ts";

export { useAsyncContext } from "./step-scope.ts";

/** `executeGraph`. What the options leave out comes from `defaults`. */
export async function runWithAgents<S extends object>(
  graph: CompiledGraph<S>,
  options: ExecuteOptions<S>,
  defaults: Runtime,
): Promise<ExecutionResult<S>> {
  requireCompiled(graph);
  const runtime: Runtime = { ...defaults, ...definedParts(options.runtime) };
  const bridge = await openAgents(runtime, options);
  if (bridge === undefined) return runRecorded(graph, { ...options, runtime });
  try {
    return await runRecorded(graph, { ...options, runtime: { ...runtime, agents: bridge } });
  } finally {
    await bridge.close();
  }
}

/** Before the journal is touched: a mistake must not leave a run behind. */
function requireCompiled(graph: unknown): void {
  if (CompiledGraph.is(graph)) return;
  throw new AtomicError("BUILDER_MISUSE", "executeGraph: needs a compiled graph; call compile() on a builder first.");
}

/** Absent is absent: an `undefined` must not hide a default. */
function definedParts(runtime: Partial<Runtime> = {}): Partial<Runtime> {
  return Object.fromEntries(Object.entries(runtime).filter(([, part]) => part !== undefined));
}

async function openAgents<S extends object>(
  { agents, clients, connect, clock, entities }: Runtime,
  options: ExecuteOptions<S>,
): Promise<RunBridge | undefined> {
  const given = options.client === undefined ? undefined : { source: options.client, options: {} };
  const connection = given ?? (options.runtime?.agents === undefined && agents === undefined ? clients : undefined);
  if (connection === undefined) return undefined;
  if (connect === undefined) {
    throw new AtomicError(
      "RUNTIME_MISSING",
      'This build of atomic/workflows/graph can\'t use agent clients: it is the one for browsers and edge runtimes. Run it on Bun, Node or Deno, bundle it with the condition "node", or pass runtime.agents.',
    );
  }
  return connect({ ...connection, options: { ...connection.options, ...options.agentOptions } }, { clock, entities });
}

/** `runGraph`. */
export async function runRecorded<S extends object>(
  graph: CompiledGraph<S>,
  options: Omit<ExecuteOptions<S>, "client" | "agentOptions">,
): Promise<ExecutionResult<S>> {
  const { journal } = options;
  const handle = await journal?.store.open(journal.run, {
    mode: journal.resume === true ? "resume" : "create",
    ...(journal.takeOver === true && { takeOver: true }),
  });
  try {
    const execution = new Execution(
      graph as CompiledGraph<never> as CompiledGraph<Record<string, unknown>>,
      options as ExecuteOptions<never> as ExecuteOptions<Record<string, unknown>>,
      handle,
    );
    return (await execution.run()) as ExecutionResult<S>;
  } finally {
    const hasBegun = handle === undefined || handle.lastSeq > 0 || journal?.resume === true;
    await handle?.close();
    // A run that could not even begin (its first state is not JSON, its start can't be written) is not left behind.
    // Whatever fails here, the error that ended the run is the one to report.
    if (!hasBegun) await journal?.store.remove(journal.run).catch(() => undefined);
  }
}

/** `runToState`. */
export async function runForState<S extends object>(
  graph: CompiledGraph<S>,
  state: Partial<S>,
  runtime: Runtime,
  defaults: Runtime,
): Promise<S> {
  const journal = graph.config.checkpointing === true ? await openCheckpoints(graph, state, runtime) : undefined;
  const result = await runWithAgents(graph, { initialState: state, runtime, journal }, defaults);
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
