// The same turn through Copilot's SDK alone, which starts its own program and talks to it over pipes.

import { copilotEnvironment, findCopilot, modelSettings } from "../../src/agents/copilot/copilot-program.ts";
import type { SessionConfig } from "../../src/agents/copilot/copilot-protocol.ts";
import type { WireEvent } from "../../src/agents/copilot/copilot-wire.ts";
import { sessionConfig } from "../../src/agents/copilot/session-config.ts";
import { copilotVariables } from "../../tests/agents/backends/copilot.ts";
import { rigHost, type RigPlace } from "../../tests/agents/rig.ts";
import type { BenchAgent } from "./agent.ts";
import { packages } from "./programs.ts";

/** The part of the SDK that is used here, typed by hand. */
interface CopilotSdk {
  CopilotClient: new (options: { connection: object; env: Record<string, string> }) => {
    createSession(config: SessionConfig): Promise<Session>;
    stop(): Promise<Error[]>;
  };
  RuntimeConnection: { forStdio(options: { path: string }): object };
}
interface Session {
  on(handler: (event: WireEvent) => void): void;
  send(message: { prompt: string }): Promise<string>;
}

export async function openAlone(place: RigPlace, cwd: string): Promise<BenchAgent> {
  const host = rigHost(place, copilotVariables(place));
  const sdk = (await import(Bun.resolveSync("@github/copilot-sdk", packages))) as CopilotSdk;
  const { CopilotClient, RuntimeConnection } = sdk;
  const { path } = findCopilot(host, cwd);
  const client = new CopilotClient({
    connection: RuntimeConnection.forStdio({ path }),
    env: copilotEnvironment(host, false),
  });
  const session = await client.createSession(
    sessionConfig({
      open: { cwd },
      model: "fake-model",
      provider: modelSettings(host).provider,
      user: { instructions: [], skillDirectories: [], agents: [], problems: [] },
      foundAgents: [],
      toolSignal: () => undefined,
      onQuestion: () => Promise.reject(new Error("no question is expected")),
    }),
  );
  let onEvent: (event: WireEvent) => void = () => {};
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
