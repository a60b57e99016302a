// Process-wide defaults for programs that use the library: `compiled.execute()`, `executeGraph()`, `streamGraph()` and
// `resolveWorkflowRef()` fall back to them. A run that Atomic starts gets its whole runtime as an argument.

import { AtomicError } from "../../../lib/errors.ts";
import type { AgentRunOptions } from "./agent-source.ts";
import { isBridge } from "./agent-source.ts";
import type { WorkflowBridge } from "./bridge.ts";
import type { ClientSource } from "./client-source.ts";
import type { CompiledSubgraph } from "./compiled-subgraph.ts";
import type { Runtime } from "./runtime.ts";
import { createRuntime } from "./runtime.ts";

/** Resolution while a graph is being built is synchronous. */
export type SyncWorkflowResolver = (name: string) => CompiledSubgraph | null;

let defaults: Partial<Runtime> = {};
let resolver: SyncWorkflowResolver | null = null;
const resolving: string[] = [];

export function getDefaultRuntime(): Runtime {
  return createRuntime(resolver === null ? defaults : { workflows: resolver, ...defaults });
}

export function setDefaultRuntime(parts: Partial<Runtime>): void {
  defaults = { ...defaults, ...parts };
}

/**
 * The agents of all graphs that are run without their own: a function from an agent type to a client, one client,
 * several in order of preference, or a bridge. `null` removes them.
 */
export function setClientProvider(source: ClientSource | WorkflowBridge | null, options: AgentRunOptions = {}): void {
  if (source === null) setDefaultRuntime({ agents: undefined, clients: undefined });
  else if (isBridge(source)) setDefaultRuntime({ agents: source, clients: undefined });
  else setDefaultRuntime({ agents: undefined, clients: { source, options } });
}

export function setWorkflowResolver(next: SyncWorkflowResolver | null): void {
  resolver = next;
}

export function getWorkflowResolver(): SyncWorkflowResolver | null {
  return resolver;
}

/** A workflow by name while a graph is being built; `null` if there is none. A cycle is an error. */
export function resolveWorkflowRef(name: string): CompiledSubgraph | null {
  if (resolving.includes(name)) {
    throw new AtomicError(
      "WORKFLOW_CYCLE",
      `Circular workflow dependency detected: ${[...resolving.slice(resolving.indexOf(name)), name].join(" -> ")}`,
    );
  }
  if (resolver === null) throw noResolver(name);
  resolving.push(name);
  try {
    return resolver(name);
  } finally {
    resolving.pop();
  }
}

export function noResolver(name: string): AtomicError {
  return new AtomicError(
    "RUNTIME_MISSING",
    `Cannot resolve workflow "${name}": No workflow resolver set. Call setWorkflowResolver() during application initialization.`,
  );
}
