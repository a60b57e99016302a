// Signals to whole process groups, and the processes that carry a mark in their environment. A program started with
// `detached: true` leads its own group; its children stay in it unless they leave on purpose. Those that
// left are found by the mark (on Linux; elsewhere only groups are known).

import { readdirSync, readFileSync } from "node:fs";
import { isSystemError } from "../../lib/atomic-file.ts";

/** Sends the signal (0: none) to the group that `leader` leads. False when there is no such group any more. */
export function endGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}

export function endProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}

export function isGroupAlive(leader: number): boolean {
  return membersOf(leader).length > 0;
}

/** The processes of the group that are more than zombies. Where the system has no /proc: the leader, while it answers. */
function membersOf(leader: number): readonly number[] {
  if (process.platform !== "linux") return endGroup(leader, 0) ? [leader] : [];
  // Mostly it is gone, and looking at every process of the machine would be for nothing.
  if (isGone(leader)) return [];
  return allPids().filter((pid) => {
    const fields = statFields(pid);
    return fields !== undefined && fields[0] !== "Z" && fields[0] !== "X" && Number(fields[2]) === leader;
  });
}

/** Whether the group has no process at all, not even a zombie or one of another user. */
function isGone(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/** Every living process, but this one, whose environment has `NAME=value`. Empty where that can't be seen. */
export function processesMarked(name: string, value: string): readonly number[] {
  if (process.platform !== "linux") return [];
  const mark = `\0${name}=${value}\0`;
  return allPids().filter((pid) => {
    if (pid === process.pid) return false;
    try {
      if (!`\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(mark)) return false;
      const state = statFields(pid)?.[0];
      return state !== undefined && state !== "Z" && state !== "X";
    } catch (thrown) {
      // Gone since, or of another user: not ours.
      if (!isSystemError(thrown)) throw thrown;
      return false;
    }
  });
}

/**
 * What a sandbox runs, of the processes that carry its mark: bubblewrap is one process outside and the first one inside,
 * and whatever signal ends one of these kills all the others at once.
 */
export function processesInside(sandbox: number, marked: readonly number[]): Inside {
  const parents = new Map(marked.map((pid) => [pid, Number(statFields(pid)?.[1])]));
  const isFirst = (pid: number): boolean => parents.get(pid) === sandbox;
  const all = marked.filter((pid) => pid !== sandbox && !isFirst(pid));
  return { all, programs: all.filter((pid) => isFirst(parents.get(pid) ?? 0)) };
}

export interface Inside {
  readonly all: readonly number[];
  /** The program that was to be run. */
  readonly programs: readonly number[];
}

function allPids(): readonly number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return [];
  }
}

/** State, parent, group and so on: what follows the name, which may itself hold ")". */
function statFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return undefined;
  }
}
