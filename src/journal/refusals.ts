// The refusals all stores share, so that the same situation reads the same whatever keeps the run.

import { AtomicError } from "../lib/errors.ts";

export function runNotFound(run: string, where: string): AtomicError {
  return new AtomicError("RUN_NOT_FOUND", `There is no run ${run} in ${where}. Runs that exist: \`atomic sessions\`.`, {
    details: { run, where },
  });
}

export function runExists(run: string, where: string): AtomicError {
  return new AtomicError(
    "RUN_EXISTS",
    `Run ${run} is already in ${where}. Go on with it (\`atomic resume ${run}\`), or start one with another id.`,
    { details: { run, where } },
  );
}

export interface OwnerDescription {
  /** "process 4711 on host build-1", "this process". */
  readonly who: string;
  readonly since: number;
  /** False when it runs on a machine, or in a container, that can't be looked into from here. */
  readonly isKnownAlive: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
}

export function runOwned(run: string, owner: OwnerDescription): AtomicError {
  const since = new Date(owner.since).toISOString();
  const whatToDo = owner.isKnownAlive
    ? `Pause it there first (\`atomic pause ${run}\`), or wait for it to end.`
    : `Whether it still runs can't be seen from here. Pause it there (\`atomic pause ${run}\`); if that machine is ` +
      `gone for good, take the run over (\`atomic resume ${run} --take-over\`, takeOver: true in the library).`;
  return new AtomicError("RUN_OWNED", `Run ${run} is being run by ${owner.who} since ${since}. ${whatToDo}`, {
    details: { run, isKnownAlive: owner.isKnownAlive, ...owner.details },
  });
}

export function ownerLost(run: string, lastSeq: number, why: string): AtomicError {
  return new AtomicError(
    "OWNER_LOST",
    `Run ${run} no longer belongs to this handle: ${why}. Nothing was stored; its last own record is ${lastSeq}. ` +
      `Stop here; the run goes on where it is owned now (\`atomic sessions show ${run}\`).`,
    { details: { run, lastSeq } },
  );
}
