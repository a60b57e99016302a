// Shared by several cases: a turn is interrupted while its tool runs; then the tool has ended, the program has
// confirmed the interruption, and the session continues.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  completeTurn,
  describeEnd,
  eventually,
  openSession,
  processesOf,
  readTurn,
  type AgentHarness,
  type TurnRecord,
} from "./agent-harness.ts";
import { contractTexts } from "./agent-scenarios.ts";

/** `prompt` makes the agent, or a sub-agent of it, run the scenarios' long command in the folder. */
export async function stopWhileToolRuns(
  harness: AgentHarness,
  prompt: (folder: string) => string,
): Promise<TurnRecord> {
  const folder = harness.newFolder();
  const session = await openSession(harness, folder);
  const stop = new AbortController();
  const turn = readTurn(session, prompt(folder), { signal: stop.signal });
  await eventually("the tool runs", () => existsSync(join(folder, "started")), 60_000);
  stop.abort();
  const record = await turn;
  assert.ok(record.end.type === "turn.interrupted" && !record.end.isUnanswered, describeEnd(record.end));
  await eventually("the tool's process is gone", () => processesOf(`${folder}/started`).length === 0);
  const next = await completeTurn(session, harness.prompt("answer", folder));
  assert.equal(next.end.text, contractTexts.answer);
  await session.close();
  return record;
}
