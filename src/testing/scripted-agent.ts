// Creates a client of the agent port from a script, for tests of workflows and nodes. Its commands get PATH and a
// temporary HOME, and nothing else; nothing is recorded on disk.

import { tmpdir } from "node:os";
import type { AgentClient } from "../agents/port.ts";
import type { ProcessRegistry } from "../agents/process/process-registry.ts";
import { parseScript, type ScriptInput } from "../agents/scripted/script-schema.ts";
import { createScriptedClient } from "../agents/scripted/scripted-client.ts";
import type { Clock } from "../lib/clock.ts";

export interface ScriptedAgentOptions {
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
  /** The environment of the script's commands; default: PATH, and a temporary folder as HOME. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** The format of `script` is in docs/agents.md; a list of turns is short for a script of version 1. */
export function scriptedAgent(
  script: ScriptInput | ScriptInput["turns"],
  options: ScriptedAgentOptions = {},
): AgentClient {
  const source = "of the test";
  return createScriptedClient({
    script: parseScript("version" in script ? script : { version: 1, turns: script }, source),
    source,
    env: options.env ?? { PATH: process.env["PATH"] ?? "", HOME: tmpdir() },
    registry: unrecorded,
    clock: options.clock,
    newId: options.newId,
  });
}

/** Not recorded: whatever kills a test also ends its processes. */
const unrecorded: ProcessRegistry = {
  register: () => ({ mark: crypto.randomUUID(), started: () => {}, ended: () => {} }),
};
