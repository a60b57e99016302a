// What a node may put on record as an event: one of its author under a free name, or one that nodes can report, whole.

import type { ReportedEvent } from "../../../events/reported-events.ts";
import { isReportedType, isReserved, reportedFault } from "../../../events/run-event.ts";
import { AtomicError } from "../../../lib/errors.ts";

/** Throws for a name that only Atomic's own events have. */
export function requireOwnName(name: string, node: string): void {
  if (!isReserved(name)) return;
  const how = isReportedType(name) ? `Report it with ctx.record({ type: "${name}", … }), or choose` : "Choose";
  throw new AtomicError(
    "NODE_FAILED",
    `Node "${node}" emitted "${name}", which is a name of Atomic's own events. ${how} another name.`,
  );
}

/** Throws for an event that nodes can't report, and for one with a field that is missing or wrong. */
export function requireWhole(event: ReportedEvent, node: string): void {
  const fault = reportedFault(event);
  if (fault === undefined) return;
  const problem =
    fault === "type"
      ? `recorded an event of type "${event.type}", which nodes can't record. Use ctx.emit for events of your own.`
      : `recorded a ${event.type} event whose "${fault}" is missing or wrong. docs/events.md lists its fields.`;
  throw new AtomicError("NODE_FAILED", `Node "${node}" ${problem}`);
}
