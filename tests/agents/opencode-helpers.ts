// What the cases of OpenCode share: separate clients, what the model was sent, and the processes of the machine.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createOpencodeClient } from "../../src/agents/opencode/opencode-client.ts";
import type { AgentClient } from "../../src/agents/port.ts";
import type { ModelRequest } from "../../src/testing/model-server/model-request.ts";
import type { SuiteContext } from "./agent-suite.ts";
import { quiet, userConfig } from "./backends/opencode.ts";
import { rigHost } from "./rig.ts";

/** A client with a separate user configuration and timeouts, closed after the case. */
export async function withClient(
  { place }: SuiteContext,
  options: { readonly config?: object; readonly npm?: string; readonly attempts?: number; readonly env?: object },
  run: (client: AgentClient) => Promise<void>,
): Promise<void> {
  const config = { ...userConfig(place, options.npm), ...options.config };
  const client = createOpencodeClient({
    ...rigHost(place, { ...quiet, ...options.env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) }),
    retries: { attempts: options.attempts ?? 0 },
  });
  try {
    await run(client);
  } finally {
    await client.close();
  }
}

/** What the model was sent last for the scenario. */
export function lastRequest(
  { server }: SuiteContext,
  scenario: string,
): { readonly text: string; readonly request: ModelRequest } {
  const found = server.seen.findLast((seen) => seen.scenario === scenario && seen.request !== undefined);
  assert.ok(found?.request !== undefined, `the model was asked for ${scenario}`);
  return { text: JSON.stringify(found.body), request: found.request };
}

export async function withClientOf(
  newClient: () => Promise<AgentClient>,
  run: (client: AgentClient) => Promise<void>,
): Promise<void> {
  const client = await newClient();
  try {
    await run(client);
  } finally {
    await client.close();
  }
}

/** Processes whose command line has the text. */
export function pidsWith(text: string): readonly number[] {
  return allPids().filter((pid) => readProc(pid, "cmdline").includes(text));
}

/** The server that got KILL_ME with this value. */
export function serverPid(mark: string): number {
  const found = allPids().find(
    (pid) => readProc(pid, "cmdline").includes("serve") && readProc(pid, "environ").includes(`KILL_ME=${mark}`),
  );
  assert.ok(found !== undefined, "the server runs");
  return found;
}

function allPids(): readonly number[] {
  return [...new Bun.Glob("[0-9]*").scanSync({ cwd: "/proc", onlyFiles: false })].map(Number);
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
