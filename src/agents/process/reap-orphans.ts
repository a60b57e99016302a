// Ends what a killed host left behind. Only what is provably ours: a process whose pid, start time, boot and machine
// are on record, or that carries a mark on record in its environment; and only when the host on record is certainly
// dead. Everything else is left alone, and records that can't be read are left for a user to look at.

import { rmSync } from "node:fs";
import type { Clock } from "../../lib/clock.ts";
import { livenessOf } from "../../lib/process-identity.ts";
import { endGroup, endProcess, processesMarked } from "./process-group.ts";
import { markName, type ChildRecord } from "./host-record.ts";
import { readProcessRecord, recordFiles } from "./process-records.ts";

export interface ReapedProcess {
  readonly pid: number;
  readonly name: string;
}

export interface ReapOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs?: number | undefined;
}

/** What was ended. A folder that does not exist holds nothing to end. */
export async function reapOrphans(options: ReapOptions): Promise<readonly ReapedProcess[]> {
  const reaped: ReapedProcess[] = [];
  for (const file of recordFiles(options.folder)) {
    const host = readProcessRecord(file);
    if (host === undefined || livenessOf(host.host) !== "dead") continue;
    // If it was started from a tool of that agent, this process would end its own parents.
    const others = host.children.filter((child) => child.mark !== process.env[markName]);
    const perChild = await Promise.all(others.map((child) => reapChild(child, options)));
    reaped.push(...perChild.flat());
    rmSync(file, { force: true });
  }
  return reaped;
}

async function reapChild(
  child: ChildRecord,
  { clock, graceMs = 3000 }: ReapOptions,
): Promise<readonly ReapedProcess[]> {
  const ended = new Set<number>();
  // The program first and alone: a program that is asked to stop cleans up what it started.
  for (const pid of ours(child)) {
    if (endProcess(pid, "SIGTERM")) ended.add(pid);
  }
  const until = clock.now() + graceMs;
  while (ours(child).length > 0 && clock.now() < until) await clock.sleep(50);
  for (const pid of ours(child)) {
    ended.add(pid);
    if (pid === child.identity?.pid && child.isLeader) endGroup(pid, "SIGKILL");
    endProcess(pid, "SIGKILL");
  }
  return [...ended].map((pid) => ({ pid, name: child.name }));
}

function ours(child: ChildRecord): readonly number[] {
  const marked = processesMarked(markName, child.mark);
  const { identity: program } = child;
  if (program === undefined || program.started === "" || livenessOf(program) !== "alive") return marked;
  return [...new Set([program.pid, ...marked])];
}
