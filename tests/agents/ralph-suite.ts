// Runs the cases of ralph on one real program, one after the other in one world, and checks what they left behind.

import { setDefaultTimeout, test } from "bun:test";
import { eventually } from "../../src/testing/contracts/agent-harness.ts";
import { ralphCases } from "./ralph-cases.ts";
import type { RalphProgram } from "./ralph-programs.ts";
import { questionCases } from "./ralph-questions.ts";
import { sessionCases } from "./run-sessions.ts";
import { costCases, noCostCases, tokenCases } from "./run-limits.ts";
import { todoCases } from "./ralph-todo.ts";
import { createRalphWorld } from "./ralph-world.ts";

/** Generous: a case starts a program two or three times, which takes some of them ten seconds on a busy machine. */
const caseLimitMs = 240_000;

export function ralphSuite(program: RalphProgram): void {
  setDefaultTimeout(caseLimitMs);
  const world = createRalphWorld(program);
  const cases = [
    ...ralphCases,
    ...questionCases,
    ...todoCases,
    ...tokenCases,
    ...sessionCases,
    ...(program.statesCost ? costCases : noCostCases),
  ];
  for (const { name, run } of cases) test(`${program.kind}: ${name}`, () => run(world));

  test(`${program.kind}: the runs leave no process behind`, () =>
    eventually("no process of the suite is left", () => world.processes().length === 0));
}
