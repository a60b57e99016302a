// Who owns a run, for the stores on disk: what is recorded of an owner, and whether a run may be taken from it. The
// token distinguishes two opens in one process; the process shows whether the owner is still alive.

import type { AtomicError } from "../lib/errors.ts";
import {
  currentProcess,
  describeProcess,
  isSameBoot,
  livenessOf,
  parseProcessIdentity,
  type ProcessIdentity,
} from "../lib/process-identity.ts";
import type { OwnerState, RunOwner } from "./port.ts";
import { runOwned } from "./refusals.ts";

export interface Owner {
  readonly token: string;
  readonly process: ProcessIdentity;
  readonly since: number;
  /** It holds a lock on the run's folder while it is alive. */
  readonly holdsLock: boolean;
}

/** What the disk that holds a run shows about an owner whose process can't be seen from here. */
export interface OwnerEvidence {
  /** No other machine uses the disk. */
  isDiskLocal(): boolean;
  /** No other process holds the lock on the run's folder. */
  isLockFree(): boolean;
}

export function newOwner(since: number, holdsLock = false): Owner {
  return { token: crypto.randomUUID(), process: currentProcess(), since, holdsLock };
}

export function describeOwner({ process, since }: Owner): RunOwner {
  return { host: process.host, pid: process.pid, since };
}

export function parseOwner(value: unknown): Owner | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { token, process, since, holdsLock } = value as Record<string, unknown>;
  const identity = parseProcessIdentity(process);
  if (typeof token !== "string" || typeof since !== "number" || identity === undefined) return undefined;
  return { token, process: identity, since, holdsLock: holdsLock === true };
}

// Owners that closed here but could not record it (a full disk). Without this the process would wait for itself.
const releasedHere = new Set<string>();

export function noteRelease(owner: Owner): void {
  releasedHere.add(owner.token);
}

/** What is known of an owner that has not recorded that it closed. */
export function ownerState(owner: Owner, ownerEvidence?: OwnerEvidence): Exclude<OwnerState, "none"> {
  if (releasedHere.has(owner.token)) return "dead";
  const isDiskLocal = (): boolean => ownerEvidence?.isDiskLocal() === true;
  const liveness = livenessOf(owner.process, { isDiskLocal });
  // In another container of this machine, for example. Its containers share the lock.
  const isCertain = liveness === "unknown" && owner.holdsLock && isSameBoot(owner.process) && isDiskLocal();
  return isCertain && ownerEvidence?.isLockFree() === true ? "dead" : liveness;
}

/** The error for a run whose owner may still be alive; undefined when the run may be taken. */
export function refusalOf(run: string, owner: Owner, ownerEvidence?: OwnerEvidence): AtomicError | undefined {
  const state = ownerState(owner, ownerEvidence);
  if (state === "dead") return undefined;
  const isSelf = owner.process.pid === process.pid && state === "alive";
  return runOwned(run, {
    who: isSelf ? `this process (${owner.process.pid}, host ${owner.process.host})` : describeProcess(owner.process),
    since: owner.since,
    isKnownAlive: state === "alive",
    details: { pid: owner.process.pid, host: owner.process.host, since: owner.since },
  });
}
