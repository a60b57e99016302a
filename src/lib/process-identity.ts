// Identifies this process, and tells whether another one is still alive. A pid is not enough: pids are reused, and mean
// nothing on another machine or in another container. An identity is the pid, the time the process started, and the
// scope (machine, boot, pid namespace) in which the pid is valid.
//
// `dead` is reported only when it is certain. What can't be seen from here is `unknown`.

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { checksum } from "./checksum.ts";
import { isSystemError } from "./atomic-file.ts";

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** When it started, in the system's own format; empty where the system does not say. */
  readonly started: string;
  /** Distinguishes machines that share a host name; empty if the machine has no id. */
  readonly machine: string;
  /** Changes with every start of the machine; empty where the system does not say. */
  readonly boot: string;
  /** The pid namespace (a container has its own); empty where there is no such thing. */
  readonly namespace: string;
}

export type Liveness = "alive" | "dead" | "unknown";

let current: ProcessIdentity | undefined;

/** Computed once: it can't change during the life of the process. */
export function currentProcess(): ProcessIdentity {
  current ??= {
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid) ?? "",
    machine: machineId(),
    boot: bootId(),
    namespace: pidNamespace(),
  };
  return current;
}

/** The identity of another process of this machine; undefined when none runs under that pid. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const started = startOf(pid);
  return started === undefined ? undefined : { ...currentProcess(), pid, started };
}

export interface LivenessOptions {
  readonly here?: ProcessIdentity;
  /** Whether the process was recorded on a disk that no other machine uses. Called only when that decides. */
  readonly isDiskLocal?: () => boolean;
}

export function livenessOf(other: ProcessIdentity, options: LivenessOptions = {}): Liveness {
  const { here = currentProcess(), isDiskLocal = () => false } = options;
  // The same boot of the same kernel, even if the host was renamed. Pids are comparable within one namespace.
  if (isSameBoot(other, here)) return other.namespace === here.namespace ? livenessOfPid(other) : "unknown";
  if (other.boot !== "" && here.boot !== "") {
    // This machine before a restart: no process survived. Or another machine, which may be running.
    return isSameMachine(other, here) || isDiskLocal() ? "dead" : "unknown";
  }
  return isSameMachine(other, here) && other.namespace === here.namespace ? livenessOfPid(other) : "unknown";
}

/** It runs, or ran, on another machine or in another container: neither its pid nor its paths mean anything here. */
export function isElsewhere(other: ProcessIdentity, here: ProcessIdentity = currentProcess()): boolean {
  if (isSameBoot(other, here)) return other.namespace !== here.namespace;
  if (!isSameMachine(other, here)) return true;
  // This machine before a restart, after which a container has another namespace.
  return (other.boot === "" || here.boot === "") && other.namespace !== here.namespace;
}

export function isSameBoot(a: ProcessIdentity, b: ProcessIdentity = currentProcess()): boolean {
  return a.boot !== "" && a.boot === b.boot;
}

/** The initial pid namespace, the same on every Linux. */
const firstNamespace = "pid:[4026531836]";

/** Host names change, and containers of one image share a machine id: in a container both must be equal. */
function isSameMachine(a: ProcessIdentity, b: ProcessIdentity): boolean {
  if (a.machine !== b.machine) return false;
  const areMachines = a.namespace === firstNamespace && b.namespace === firstNamespace;
  return a.host === b.host || (a.machine !== "" && areMachines);
}

function livenessOfPid(other: ProcessIdentity): Liveness {
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
  if (!processExists(pid)) return undefined;
  return process.platform === "win32" ? "" : unixStart(pid);
}

/** Field 22 of /proc/PID/stat, in clock ticks since the boot. Fields are counted after the name, which may hold ")". */
function linuxStart(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // Some systems hide the processes of other users from /proc; a signal still finds them.
  if (stat === "") return processExists(pid) ? "" : undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  // A zombie has ended; its parent has not collected it yet.
  return state === "Z" || state === "X" ? undefined : (fields[19] ?? "");
}

function unixStart(pid: number): string | undefined {
  const asked = runBriefly("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)]);
  if (asked === undefined) return "";
  const text = asked.trim();
  if (text === "" || text.startsWith("Z")) return undefined;
  return text.replace(/^\S+\s+/, "");
}

/** The program's output; undefined when it can't be run. */
function runBriefly(program: string, args: readonly string[]): string | undefined {
  // Loaded here because it is slow and needed on some systems only; early releases of Node 20 lack getBuiltinModule.
  const { getBuiltinModule } = process as Partial<typeof process>;
  const asked = getBuiltinModule?.("node:child_process").spawnSync(program, args, {
    encoding: "utf8",
    env: { LC_ALL: "C", TZ: "UTC" },
    timeout: 5000,
  });
  return asked === undefined || asked.error !== undefined ? undefined : asked.stdout;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function machineId(): string {
  const id = readText("/etc/machine-id");
  // Hashed: the systems ask programs not to store the id itself.
  return id === "" ? "" : checksum(id);
}

function bootId(): string {
  if (process.platform !== "darwin") return readText("/proc/sys/kernel/random/boot_id");
  const asked = runBriefly("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"]);
  return asked?.trim() ?? "";
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return "";
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return "";
  }
}
