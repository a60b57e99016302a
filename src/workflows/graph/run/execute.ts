// Runs a graph to an end: completed, failed, paused or cancelled. Opens and closes its agents and its journal; the run
// itself is in execution.ts, which is loaded by the first run, because most programs that import the engine only build
// graphs.

import { AtomicError } from "../../../lib/errors.ts";
import { CompiledGraph } from "../compile/compiled-graph.ts";
import type { RunBridge } from "../model/agent-source.ts";
import { getDefaultRuntime } from "../model/default-runtime.ts";
import type { Runtime } from "../model/runtime.ts";
import type { ExecuteOptions, ExecutionResult } from "./execute-options.ts";
import { loadAsyncContext } from "./step-scope.ts";

let scheduler: typeof import("./execution.ts") | undefined;

/** What the options leave out comes from the library's defaults: `setClientProvider`, `setDefaultRuntime`. */
export async function executeGraph<S extends object>(
  graph: CompiledGraph<S>,
  options: ExecuteOptions<S> = {},
): Promise<ExecutionResult<S>> {
  requireCompiled(graph);
  const runtime: Runtime = { ...getDefaultRuntime(), ...definedParts(options.runtime) };
  const bridge = await openAgents(runtime, options);
  if (bridge === undefined) return runGraph(graph, { ...options, runtime });
  try {
    return await runGraph(graph, { ...options, runtime: { ...runtime, agents: bridge } });
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

/** The same with what it is given and nothing else: no default is looked at. */
export async function runGraph<S extends object>(
  graph: CompiledGraph<S>,
  options: Omit<ExecuteOptions<S>, "client" | "agentOptions">,
): Promise<ExecutionResult<S>> {
  const { journal } = options;
  const handle = await journal?.store.open(journal.run, {
    mode: journal.resume === true ? "resume" : "create",
    ...(journal.takeOver === true && { takeOver: true }),
  });
  try {
    const scopes = loadAsyncContext();
    scheduler ??= await import("./execution.ts");
    if (scopes !== undefined) await scopes;
    const execution = new scheduler.Execution(
      graph as CompiledGraph<never> as CompiledGraph<Record<string, unknown>>,
      options as ExecuteOptions<never> as ExecuteOptions<Record<string, unknown>>,
      handle,
    );
    return (await execution.run()) as ExecutionResult<S>;
  } finally {
    const hasBegun = handle === undefined || handle.lastSeq > 0 || journal?.resume === true;
    await handle?.close();
    // A run that could not even begin (its first state is not JSON, its start can't be written) is not left behind.
    if (!hasBegun) await journal?.store.remove(journal.run).catch(() => undefined);
  }
}
