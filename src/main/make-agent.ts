// The client of a run's agent, as the command line wires it: with the user's environment and settings, and recorded
// into a file where that was asked for.

import { statSync } from "node:fs";
import { AtomicError, messageOf } from "../lib/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { StreamRedactor } from "../lib/redact.ts";
import type { AgentClient } from "../agents/port.ts";
import { createAgentClient } from "../agents/clients/create-agent-client.ts";
import type { AgentSpec, MakeAgent } from "../app/agents.ts";

export interface MakeAgentHost {
  /** The user's own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly redact: ((text: string) => string) | undefined;
  readonly createStreamRedactor: (() => StreamRedactor) | undefined;
}

export function createMakeAgent(host: MakeAgentHost): MakeAgent {
  return async (spec) => {
    const client = await makeClient(spec, host);
    return spec.record === undefined ? client : recorded(client, spec.record, host);
  };
}

function makeClient(spec: AgentSpec, { environment, clock, newId, redact }: MakeAgentHost): Promise<AgentClient> {
  const { kind, script, programs, processesDir, memoryDir, sandbox } = spec;
  const backend = { environment: { user: environment }, programs, processesDir, sandbox, clock, newId };
  return createAgentClient(kind, { ...backend, script, memoryDir, redact });
}

async function recorded(client: AgentClient, file: string, host: MakeAgentHost): Promise<AgentClient> {
  const { openRecordingFile } = await import("../agents/replay/recording-file.ts");
  const { createRecordingClient } = await import("../agents/replay/recording-client.ts");
  const { clock, redact, createStreamRedactor } = host;
  const write = openChecked(openRecordingFile, file);
  return createRecordingClient(client, { clock, redact, createStreamRedactor, write });
}

function openChecked(open: (path: string) => (line: string) => void, file: string): (line: string) => void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) throw new AtomicError("USAGE", `--record ${file}: that is a folder. Name a file.`);
  // Opening a pipe waits for its reader, and no signal gets through meanwhile.
  if (there?.isFIFO() === true || there?.isSocket() === true)
    throw new AtomicError("USAGE", `--record ${file}: that is a pipe or a socket. Name a file.`);
  try {
    return open(file);
  } catch (cause) {
    throw new AtomicError("USAGE", `--record ${file}: ${messageOf(cause)}. Choose a file that can be written.`, {
      cause,
    });
  }
}
