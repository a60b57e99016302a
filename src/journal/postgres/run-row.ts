// A row of the table of runs, as the port describes a run.

import { isElsewhere, livenessOf, parseProcessIdentity } from "../../lib/process-identity.ts";
import type { OwnerState, RecordedStatus, RunInfo } from "../port.ts";
import type { Row } from "./postgres-client.ts";

const statuses: readonly RecordedStatus[] = ["running", "paused", "completed", "failed", "cancelled"];

export const runColumns = `id, run, created_at, updated_at, last_seq, status, due_at, fence, is_owned, owner, since,
  lease_until > clock_timestamp() AS is_leased, (extract(epoch FROM lease_until) * 1000)::bigint AS leased_until`;

export function rowOwnerState(row: Row): OwnerState {
  if (row["is_owned"] !== true) return "none";
  const process = parseProcessIdentity(JSON.parse(String(row["owner"])));
  const isGone = process !== undefined && livenessOf(process) === "dead";
  return isGone || row["is_leased"] !== true ? "dead" : "alive";
}

export function describeRun(row: Row): RunInfo {
  const process = parseProcessIdentity(JSON.parse(String(row["owner"])));
  const isOwned = row["is_owned"] === true;
  return {
    run: String(row["run"]),
    owner: rowOwnerState(row),
    ownedBy: process && {
      host: process.host,
      pid: process.pid,
      since: Number(row["since"]),
      ...(isOwned && { leaseUntil: Number(row["leased_until"]) }),
      isElsewhere: isElsewhere(process),
    },
    status: statuses.find((status) => status === row["status"]),
    dueAt: row["due_at"] === null ? undefined : Number(row["due_at"]),
    lastSeq: Number(row["last_seq"]),
    createdAt: Number(row["created_at"]),
    updatedAt: Number(row["updated_at"]),
  };
}
