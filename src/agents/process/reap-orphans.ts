// Ends what a killed host left behind. Only what is provably ours: a process whose pid, start time, boot and machine
// are on record, or that carries a mark on record in its environment; and only when the host on record is certainly
// dead. Everything else is left alone, and records that can't be read are left for a person to look at.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { livenessOf, parseProcessIdentity, type ProcessIdentity } from "../../lib/process-identity.ts";
import { checkShape, flag, list, object, oneOf, optional, type Shape, type ShapeOf, text } from "../../lib/shape.ts";
import { endGroup, endProcess, processesMarked } from "./process-group.ts";
import { markName, type ChildRecord } from "./process-registry.ts";

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

const identity: Shape<ProcessIdentity> = (value, faults, path) => {
  const parsed = parseProcessIdentity(value);
  if (parsed === undefined) faults.push({ path, message: "not a process" });
  return parsed as ProcessIdentity;
};
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const record = object({
  version: oneOf([1]),
  host: identity,
  children: list(
    object({ mark: text({ pattern: uuid }), name: text(), isLeader: flag(), identity: optional(identity) }),
  ),
});

/** What was ended. A folder that does not exist holds nothing to end. */
export async function reapOrphans(options: ReapOptions): Promise<readonly ReapedProcess[]> {
  const reaped: ReapedProcess[] = [];
  for (const file of recordFiles(options.folder)) {
    const host = readRecord(file);
    if (host === undefined || livenessOf(host.host) !== "dead") continue;
    // Started from a tool of that very agent, this process would end its own parents.
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

function recordFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[0-9a-f-]{36}\.json$/.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function readRecord(file: string): ShapeOf<typeof record> | undefined {
  try {
    const checked = checkShape(record, JSON.parse(readFileSync(file, "utf8")));
    return "value" in checked ? checked.value : undefined;
  } catch {
    return undefined;
  }
}
