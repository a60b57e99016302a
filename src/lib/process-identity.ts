// Which process is this, and does that other one still run? A pid alone is not an answer: pids are reused, and mean
// nothing on another machine or in another container. Here a process is its pid, the time it started, and the place
// (machine, boot, pid namespace) in which the pid means something.
//
// `dead` is only said when it is certain. What can't be seen from here is `unknown`.

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { checksum } from "./checksum.ts";

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** When it started, in the system's own notation; empty where the system does not say. */
  readonly started: string;
  /** Tells machines with one host name apart; empty when the machine has no id. */
  readonly machine: string;
  /** Changes with every start of the machine; empty where the system does not say. */
  readonly boot: string;
  /** The pid namespace (a container has its own); empty where there is no such thing. */
  readonly namespace: string;
}

export type Liveness = "alive" | "dead" | "unknown";

let current: ProcessIdentity | undefined;

/** Computed once: it can't change while the process lives. */
export function currentProcess(): ProcessIdentity {
  current ??= {
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid) ?? "",
    machine: machineId(),
    boot: readText("/proc/sys/kernel/random/boot_id"),
    namespace: pidNamespace(),
  };
  return current;
}

/** The identity of another process of this machine; undefined when none runs under that pid. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const started = startOf(pid);
  return started === undefined ? undefined : { ...currentProcess(), pid, started };
}

export function livenessOf(other: ProcessIdentity, here: ProcessIdentity = currentProcess()): Liveness {
  if (other.host !== here.host || other.machine !== here.machine) return "unknown";
  // The machine was started again since: nothing of that time lives.
  if (other.boot !== here.boot && other.boot !== "" && here.boot !== "") return "dead";
  if (other.namespace !== here.namespace) return "unknown";
  const started = startOf(other.pid);
  if (started === undefined) return "dead";
  return started === "" || other.started === "" || started === other.started ? "alive" : "dead";
}

export function describeProcess(identity: ProcessIdentity): string {
  return `process ${identity.pid} on host ${identity.host}`;
}

/** An identity read back from a file; undefined when it is not one. */
export function parseProcessIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { pid, host, started, machine, boot, namespace } = value as Record<string, unknown>;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (typeof host !== "string" || typeof started !== "string" || typeof machine !== "string") return undefined;
  if (typeof boot !== "string" || typeof namespace !== "string") return undefined;
  return { pid, host, started, machine, boot, namespace };
}

/** The start of a running process, "" when it runs but the system does not say, undefined when it does not run. */
function startOf(pid: number): string | undefined {
  if (process.platform === "linux") return linuxStart(pid);
  if (!exists(pid)) return undefined;
  return process.platform === "win32" ? "" : unixStart(pid);
}

/** Field 22 of /proc/PID/stat, in clock ticks since the boot. Fields are counted after the name, which may hold ")". */
function linuxStart(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // Some systems hide the processes of others from /proc; a signal still finds them.
  if (stat === "") return exists(pid) ? "" : undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  // A zombie has ended; only its parent has not looked yet.
  return state === "Z" || state === "X" ? undefined : (fields[19] ?? "");
}

function unixStart(pid: number): string | undefined {
  // Only needed here, and slow to load; the first Nodes of version 20 can't be asked for it, and get no start time.
  const { getBuiltinModule } = process as Partial<typeof process>;
  const asked = getBuiltinModule?.("node:child_process").spawnSync(
    "/bin/ps",
    ["-o", "stat=,lstart=", "-p", String(pid)],
    {
      encoding: "utf8",
      env: { LC_ALL: "C", TZ: "UTC" },
      timeout: 5000,
    },
  );
  if (asked === undefined || asked.error !== undefined) return "";
  const text = asked.stdout.trim();
  if (text === "" || text.startsWith("Z")) return undefined;
  return text.replace(/^\S+\s+/, "");
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function machineId(): string {
  const id = readText("/etc/machine-id");
  // Systems ask that the id itself is not written into files.
  return id === "" ? "" : checksum(id);
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
