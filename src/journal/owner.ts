// Who owns a run, for the stores on disk: what is written down about an owner, and whether a run may be taken from it.
// The token tells two opens of one process apart; the process tells whether anybody is left behind the token.

import type { AtomicError } from "../lib/errors.ts";
import {
  currentProcess,
  describeProcess,
  livenessOf,
  parseProcessIdentity,
  type ProcessIdentity,
} from "../lib/process-identity.ts";
import type { OwnerState } from "./port.ts";
import { runOwned } from "./refusals.ts";

export interface Owner {
  readonly token: string;
  readonly process: ProcessIdentity;
  readonly since: number;
}

export function newOwner(since: number): Owner {
  return { token: crypto.randomUUID(), process: currentProcess(), since };
}

export function parseOwner(value: unknown): Owner | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { token, process, since } = value as Record<string, unknown>;
  const identity = parseProcessIdentity(process);
  if (typeof token !== "string" || typeof since !== "number" || identity === undefined) return undefined;
  return { token, process: identity, since };
}

// Owners that closed here but could not write that down (a full disk). Without this the process would wait for itself.
const releasedHere = new Set<string>();

export function noteRelease(owner: Owner): void {
  releasedHere.add(owner.token);
}

/** What is known of an owner that did not write down that it closed. An owner that can't be checked counts as alive. */
export function ownerState(owner: Owner): Exclude<OwnerState, "none"> | "unknown" {
  if (releasedHere.has(owner.token)) return "dead";
  return livenessOf(owner.process);
}

/** The refusal for a run whose owner is not certainly gone; undefined when the run may be taken. */
export function refusalOf(run: string, owner: Owner): AtomicError | undefined {
  const state = ownerState(owner);
  if (state === "dead") return undefined;
  const isSelf = owner.process.pid === process.pid && state === "alive";
  return runOwned(run, {
    who: isSelf ? `this process (${owner.process.pid}, host ${owner.process.host})` : describeProcess(owner.process),
    since: owner.since,
    isKnownAlive: state === "alive",
    details: { pid: owner.process.pid, host: owner.process.host, since: owner.since },
  });
}
