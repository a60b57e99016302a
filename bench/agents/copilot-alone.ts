// The same turn through Copilot's SDK alone, in a program of its own.

import { modelSettings, findCopilot } from "../../src/agents/copilot/copilot-program.ts";
import { startCopilotRuntime } from "../../src/agents/copilot/copilot-runtime.ts";
import { loadCopilotSdk, type SdkEvent } from "../../src/agents/copilot/sdk.ts";
import { sessionConfig } from "../../src/agents/copilot/session-config.ts";
import { copilotVariables } from "../../tests/agents/backends/copilot.ts";
import { rigHost, type RigPlace } from "../../tests/agents/rig.ts";
import type { BenchAgent } from "./agent.ts";

export async function openAlone(place: RigPlace, cwd: string): Promise<BenchAgent> {
  const host = rigHost(place, copilotVariables(place));
  const sdk = await loadCopilotSdk(host, cwd);
  // Nobody closes it before its time.
  const { signal } = new AbortController();
  const runtime = await startCopilotRuntime({ host, sdk, path: findCopilot(host, cwd).path, isTrusted: false, signal });
  const session = await runtime.client.createSession(
    sessionConfig({
      open: { cwd },
      model: "fake-model",
      provider: modelSettings(host).provider,
      user: { instructions: [], skillDirectories: [], agents: [], problems: [] },
      foundAgents: [],
      toolSignal: () => undefined,
      onQuestion: () => Promise.reject(new Error("nobody is asked")),
    }),
  );
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
    close: () => runtime.stop(4000),
  };
}
