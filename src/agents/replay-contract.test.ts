// A recording that is played back keeps the contract of the port. The recording is made of the scripted agent, on a
// clock that jumps over every pause, so that what it holds is what a real hour-long run would hold.

import { afterAll, beforeAll, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { agentContract } from "../testing/contracts/agent-contract.ts";
import type { AgentHarness } from "../testing/contracts/agent-harness.ts";
import { contractScenarioNames } from "../testing/contracts/agent-scenarios.ts";
import { contractScriptClient, scriptedHarness } from "../testing/scripted-contract.ts";
import { declined } from "./questions.ts";
import { parseRecording, type Recording, type RecordedTurn } from "./replay/recording-format.ts";
import { createRecordingClient } from "./replay/recording-client.ts";
import { createReplayClient } from "./replay/replay-client.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-replay-"));
/** What a script does to the machine, and a recording can't hold. */
const unrecorded = new Set<string>(["shell-long", "long-subagent", "huge-output"]);
let harness: AgentHarness;

beforeAll(async () => {
  const recording = await record();
  const replay = (): ReturnType<typeof createReplayClient> =>
    createReplayClient({ recording: forEver(recording), source: "a recording", pace: "recorded" });
  harness = {
    ...scriptedHarness(root),
    client: replay(),
    newClient: async () => replay(),
    prompt: (scenario) => scenario,
    hostCommand: () => undefined,
  };
});
afterAll(async () => {
  await harness.client.close();
  rmSync(root, { recursive: true, force: true });
});

for (const { name, run } of agentContract) test(`replay: ${name}`, () => run(harness), 60_000);

async function record(): Promise<Recording> {
  const lines: string[] = [];
  const clock = jumpingClock();
  const client = createRecordingClient(contractScriptClient(root, clock), { clock, write: (line) => lines.push(line) });
  const { newFolder, prompt } = scriptedHarness(root);
  for (const scenario of contractScenarioNames) {
    if (unrecorded.has(scenario)) continue;
    const session = await client.open({ cwd: newFolder(), model: "scripted", onQuestion: () => declined });
    for await (const _ of session.turn(prompt(scenario, ""))) continue;
    await session.close();
  }
  await client.close();
  const recording = parseRecording(`${lines.join("\n")}\n`, "memory");
  // Turns are asked for by the name of their scenario: prompts of real runs differ as well.
  return {
    ...recording,
    turns: recording.turns.map((turn) => ({ ...turn, prompt: /@@([\w-]+)/.exec(turn.prompt)?.[1] ?? "" })),
  };
}

/** Cases ask for the same turn many times; a real recording serves each once. */
function forEver(recording: Recording): Recording {
  const turns: RecordedTurn[] = [];
  for (let i = 0; i < 40; i++) turns.push(...recording.turns.map((turn) => ({ ...turn })));
  return { ...recording, turns };
}

function jumpingClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      // Real work of the same moment goes first.
      await new Promise((resolve) => setTimeout(resolve, 30));
      signal?.throwIfAborted();
      now += ms;
    },
  };
}
