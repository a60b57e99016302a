// A turn through the port.

import type { AgentClient } from "../../src/agents/port.ts";
import type { RigBackend } from "../../tests/agents/rig.ts";
import type { BenchAgent } from "./agent.ts";

export async function openPortAgent(client: AgentClient, backend: RigBackend, cwd: string): Promise<BenchAgent> {
  const session = await client.open({ cwd, ...backend.open });
  return {
    async turn(prompt, onText) {
      for await (const event of session.turn(prompt)) {
        if (event.type === "text.delta") onText(event.text);
        if (event.type === "turn.failed") throw new Error(event.failure.message);
      }
    },
    close: () => client.close(),
  };
}
