// The errors that all stores share, so that the same situation has the same message in each of them. They name no
// command: a run may be used from a library, and each front end adds its own advice by the error's code.

import { AtomicError } from "../lib/errors.ts";
import { localTime } from "../lib/local-time.ts";

export function runNotFound(run: string, where: string): AtomicError {
  return new AtomicError("RUN_NOT_FOUND", `There is no run ${run} in ${where}.`, {
    details: { run, where },
  });
}

export function runExists(run: string, where: string): AtomicError {
  return new AtomicError("RUN_EXISTS", `Run ${run} is already in ${where}. Resume it, or create one with another id.`, {
    details: { run, where },
  });
}

export interface OwnerDescription {
  /** "process 4711 on host build-1", "this process". */
  readonly who: string;
  readonly since: number;
  /** False when it runs on a machine, or in a container, that can't be inspected from here. */
  readonly isKnownAlive: boolean;
  /** When the run becomes free if the owner is gone. */
  readonly leaseUntil?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

export function runOwned(run: string, owner: OwnerDescription): AtomicError {
  const since = localTime(owner.since);
  const free =
    owner.leaseUntil === undefined
      ? ""
      : ` If that process is gone, the run is free at ${localTime(owner.leaseUntil)}.`;
  const whatToDo = owner.isKnownAlive
    ? `Pause it first, or wait for it to end.${free}`
    : "Whether it still runs can't be seen from here. Pause it first; if that machine is gone for good, take the run over.";
  return new AtomicError("RUN_OWNED", `Run ${run} is being run by ${owner.who} since ${since}. ${whatToDo}`, {
    details: { run, isKnownAlive: owner.isKnownAlive, ...owner.details },
  });
}

export function ownerLost(run: string, lastSeq: number, why: string): AtomicError {
  return new AtomicError(
    "OWNER_LOST",
    `Run ${run} no longer belongs to this process: ${why}. Nothing was stored after record ${lastSeq}; the run ` +
      "continues where it is owned now.",
    { details: { run, lastSeq } },
  );
}
