// The same turn through Copilot's SDK alone, which starts a program of its own and talks to it over its pipes.

import { copilotEnvironment, findCopilot, modelSettings } from "../../src/agents/copilot/copilot-program.ts";
import { loadCopilotSdk, type SdkClient, type SdkEvent, type SdkSession } from "../../src/agents/copilot/sdk.ts";
import { sessionConfig } from "../../src/agents/copilot/session-config.ts";
import { copilotVariables } from "../../tests/agents/backends/copilot.ts";
import { rigHost, type RigPlace } from "../../tests/agents/rig.ts";
import type { BenchAgent } from "./agent.ts";

/** The part of the SDK that the port does not use. */
interface OwnStart {
  CopilotClient: new (options: { connection: object; env: Record<string, string> }) => SdkClient;
  RuntimeConnection: { forStdio(options: { path: string }): object };
}
type Listening = SdkSession & { on(handler: (event: SdkEvent) => void): void };

export async function openAlone(place: RigPlace, cwd: string): Promise<BenchAgent> {
  const host = rigHost(place, copilotVariables(place));
  const sdk: object = await loadCopilotSdk(host, cwd);
  const { CopilotClient, RuntimeConnection } = sdk as OwnStart;
  const { path } = findCopilot(host, cwd);
  const client = new CopilotClient({
    connection: RuntimeConnection.forStdio({ path }),
    env: copilotEnvironment(host, false),
  });
  const session = (await client.createSession(
    sessionConfig({
      open: { cwd },
      model: "fake-model",
      provider: modelSettings(host).provider,
      user: { instructions: [], skillDirectories: [], agents: [], problems: [] },
      foundAgents: [],
      toolSignal: () => undefined,
      onQuestion: () => Promise.reject(new Error("nobody is asked")),
    }),
  )) as Listening;
  let onEvent: (event: SdkEvent) => void = () => {};
  session.on((event) => onEvent(event));
  return {
    turn: (prompt, onText) =>
      new Promise((resolve, reject) => {
        onEvent = (event) => {
          if (event.type === "assistant.message_delta") onText((event.data as { deltaContent: string }).deltaContent);
          if (event.type === "session.error") reject(new Error(JSON.stringify(event.data)));
          if (event.type === "session.idle") resolve();
        };
        session.send({ prompt }).catch(reject);
      }),
    async close() {
      await client.stop();
    },
  };
}
