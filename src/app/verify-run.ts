// `sessions verify`: what a run relied on, read from its record, and run again on the trees that it was run on.

import { realpathSync } from "node:fs";
import { relative } from "node:path";
import type { RunEvent } from "../events/run-event.ts";
import type { ProgramSandbox } from "../agents/process/sandbox/program-sandbox.ts";
import type { Clock } from "../lib/clock.ts";
import { type PassedCheck, verifyEvidence, type VerifiedEvidence } from "../workflows/worktrees/verify-evidence.ts";
import type { TreesPlan } from "../workflows/worktrees/run-repository.ts";
import { runSetUp } from "../workflows/worktrees/run-set-up.ts";

export interface VerifyRequest {
  readonly events: AsyncIterable<RunEvent>;
  readonly plan: Pick<TreesPlan, "run" | "top" | "dir" | "processesDir">;
  readonly cwd: string;
  readonly sessionDir: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** As the run had it. */
  readonly sandbox?: ProgramSandbox | undefined;
}

/** The last time that each check of each task passed. */
export async function* verifyRun(request: VerifyRequest): AsyncGenerator<VerifiedEvidence> {
  const { events, plan, cwd, sessionDir, clock, signal, sandbox } = request;
  const passed = new Map<string, PassedCheck>();
  let shared: readonly string[] = [];
  let setup: string | undefined;
  for await (const event of events) {
    if (event.type === "isolation.chosen") ({ shared = [], setup } = event);
    if (event.type !== "verify.finished") continue;
    const { command, exitCode, task = null, tree = null } = event;
    const key = JSON.stringify([task, command]);
    passed.delete(key);
    if (exitCode === 0) passed.set(key, { task, command, tree });
  }
  const { processesDir } = plan;
  const command = setup;
  const setUp =
    command === undefined
      ? undefined
      : (folder: string) => runSetUp({ command, folder, processesDir, clock, signal, sandbox });
  const prefix = relative(realpathSync(plan.top), realpathSync(cwd));
  yield* verifyEvidence([...passed.values()], {
    plan: { ...plan, shared },
    prefix,
    sessionDir,
    clock,
    signal,
    setUp,
    sandbox,
  });
}
