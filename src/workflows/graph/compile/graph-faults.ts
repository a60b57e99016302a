// The faults of a graph, each with its position, and the one error that lists them all.

import { AtomicError } from "../../../lib/errors.ts";

export interface GraphFault {
  /** Where in the config: `edges[2].to`. */
  readonly path: string;
  readonly problem: string;
}

const maxShown = 50;

export function throwFaults(name: string | undefined, faults: readonly GraphFault[]): void {
  if (faults.length === 0) return;
  const what = typeof name === "string" ? `The graph "${name}"` : "The graph";
  const shown = faults.slice(0, maxShown).map((fault) => `  ${fault.path}: ${fault.problem}`);
  if (faults.length > shown.length) shown.push(`  … and ${faults.length - shown.length} more`);
  throw new AtomicError(
    "GRAPH_INVALID",
    `${what} can't be compiled, ${faults.length === 1 ? "one fault" : `${faults.length} faults`}:\n${shown.join("\n")}`,
    { details: { faults } },
  );
}

/** A value as an error message shows it. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "a list" : "an object";
    case "string":
      return value.length > 60 ? "a long string" : JSON.stringify(value);
    case "function":
      return "a function";
    default:
      return String(value);
  }
}
