// The faults that the checks of a graph config find, for tests.

import { expect } from "bun:test";
import type { WorkflowGraphConfig } from "atomic/workflows/graph";
import { AtomicError, compileGraphConfig } from "atomic/workflows/graph";
import { say } from "./graph-kit.ts";

/** Takes any value: a config from a file can have any shape. */
export function compile(config: unknown): unknown {
  return compileGraphConfig(config as WorkflowGraphConfig);
}

export interface Fault {
  readonly path: string;
  readonly problem: string;
}

export function faultsOf(config: unknown): readonly Fault[] {
  try {
    compile(config);
  } catch (thrown) {
    if (!AtomicError.is(thrown, "GRAPH_INVALID")) throw thrown;
    const faults = thrown.details["faults"] as readonly Fault[] | undefined;
    // The text names each of them too.
    for (const { path, problem } of faults ?? []) expect(thrown.message).toContain(`${path}: ${problem}`);
    return faults ?? [];
  }
  return [];
}

export const pathsOf = (config: unknown): string[] => faultsOf(config).map(({ path }) => path);
export const edge = (from: string, to: string) => ({ from, to });
export const sound = { startNode: "a", nodes: [say("a"), say("b")], edges: [edge("a", "b")] };
