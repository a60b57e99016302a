// What changed in a graph since a run of it was recorded, and the error that says so.

import { AtomicError } from "../../../lib/errors.ts";
import type { Json } from "../../../lib/json.ts";
import type { GraphShape } from "../compile/fingerprint.ts";

/** What is different, in words; empty when nothing is. */
export function compareShapes(recorded: Json, now: GraphShape): string[] {
  const before = recorded as Partial<GraphShape> | null;
  const changes: string[] = [];
  for (const [part, what] of [
    ["nodes", "node"],
    ["edges", "edge"],
    ["keys", "state key"],
  ] as const) {
    const old = new Set(before?.[part] ?? []);
    const current = new Set(now[part]);
    for (const item of old) if (!current.has(item)) changes.push(`${what} "${item}" is gone`);
    for (const item of current) if (!old.has(item)) changes.push(`${what} "${item}" is new`);
  }
  if (before?.start !== now.start) changes.push(`it starts at "${now.start}" instead of "${before?.start}"`);
  if (
    changes.length === 0 &&
    JSON.stringify(recorded) !== JSON.stringify({ ...now, stateVersion: before?.stateVersion })
  ) {
    changes.push("nodes or edges stand in another order");
  }
  return changes;
}

export function graphChanged(name: string, changes: readonly string[]): AtomicError {
  const shown = changes.slice(0, 10).join("; ");
  const more = changes.length > 10 ? `; and ${changes.length - 10} more` : "";
  return new AtomicError(
    "GRAPH_CHANGED",
    `The workflow "${name}" has changed since this run was recorded${shown === "" ? "" : `: ${shown}${more}`}. Put it back to resume the run, or start a new one.`,
    { details: { changes } },
  );
}
