// A turn through the port; and the same with a transcript, as a run writes it.

import { join } from "node:path";
import type { AgentEvent } from "../../src/agents/events.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { isLeftOut } from "../../src/transcript/record-agents.ts";
import { TranscriptWriter } from "../../src/transcript/transcript-writer.ts";
import { openTranscript } from "../../src/workflows/sessions/run-transcript.ts";
import type { AgentClient } from "../../src/agents/port.ts";
import type { RigBackend } from "../../tests/agents/rig.ts";
import type { BenchAgent } from "./agent.ts";

export async function openPortAgent(
  client: AgentClient,
  backend: RigBackend,
  cwd: string,
  onEvent?: (event: AgentEvent, prompt: string) => void,
): Promise<BenchAgent> {
  const session = await client.open({ cwd, ...backend.open });
  return {
    async turn(prompt, onText) {
      for await (const event of session.turn(prompt)) {
        onEvent?.(event, prompt);
        if (event.type === "text.delta") onText(event.text);
        if (event.type === "turn.failed") throw new Error(event.failure.message);
      }
    },
    close: () => client.close(),
  };
}

/** `kept` counts the CPU time of writing the transcript. */
export async function openTranscribedAgent(
  client: AgentClient,
  backend: RigBackend,
  cwd: string,
  kept: { ns: number },
): Promise<BenchAgent> {
  const lookNs = costOfLooking();
  const timed = <Args extends readonly unknown[]>(body: (...args: Args) => void) => {
    return (...args: Args): void => {
      const before = process.cpuUsage();
      body(...args);
      const { user, system } = process.cpuUsage(before);
      kept.ns += (user + system) * 1e3 - lookNs;
    };
  };
  // It also flushes on its own timer.
  const { flush } = TranscriptWriter.prototype;
  TranscriptWriter.prototype.flush = function (this: TranscriptWriter): void {
    timed(() => flush.call(this))();
  };
  const transcript = openTranscript({ transcript: join(cwd, "transcript.jsonl") }, { clock: systemClock });
  const where = { node: "work", key: "work#1", task: "1", worker: 1, agent: "worker", backend: client.kind };
  let place = { ...where, prompt: "" };
  const keep = (event: AgentEvent, prompt: string): void => {
    if (place.prompt !== prompt) place = { ...where, prompt };
    transcript.onAgent({ place, event });
  };
  const keepTimed = timed(keep);
  const agent = await openPortAgent(client, backend, cwd, (event, prompt) =>
    // Events that a transcript leaves out cost nothing: reading the clock would cost more.
    isLeftOut(event) ? keep(event, prompt) : keepTimed(event, prompt),
  );
  return {
    turn: (prompt, onText) => agent.turn(prompt, onText),
    async close() {
      transcript.close();
      TranscriptWriter.prototype.flush = flush;
      await agent.close();
    },
  };
}

/** Reading the CPU time takes as long as writing a small entry, so one reading is subtracted. */
function costOfLooking(): number {
  const looks = 2000;
  const before = process.cpuUsage();
  for (let i = 0; i < looks; i++) process.cpuUsage();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1e3) / looks;
}
