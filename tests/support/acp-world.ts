// Clients of fake ACP agents (fake-acp-agent.ts), in a temporary folder, for tests.

import { afterAll } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAcpClient } from "../../src/agents/acp/acp-client.ts";
import type { AgentEvent, TerminalEvent } from "../../src/agents/events.ts";
import type { AgentClient, AgentSession, OpenOptions } from "../../src/agents/port.ts";
import { AtomicError } from "../../src/lib/errors.ts";
import { type FakeAgent, writeFakeAgent } from "./fake-acp-agent.ts";

export interface AcpWorld {
  readonly root: string;
  /** Where processes are recorded. */
  readonly pids: string;
  readonly clients: readonly AgentClient[];
  clientOf(command: string): AgentClient;
  fake(agent: FakeAgent): AgentClient;
  open(client: AgentClient, options?: Partial<OpenOptions>): Promise<AgentSession>;
}

/** Closes its clients and removes its folder after all tests of the file. */
export function createAcpWorld(): AcpWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-acp-")));
  const pids = join(root, "pids");
  const clients: AgentClient[] = [];
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    rmSync(root, { recursive: true, force: true });
  });
  const clientOf = (command: string): AgentClient => {
    const client = createAcpClient(command, {
      environment: { user: { PATH: process.env["PATH"], HOME: root } },
      processesDir: pids,
    });
    clients.push(client);
    return client;
  };
  return {
    root,
    pids,
    clients,
    clientOf,
    fake: (agent) => clientOf(writeFakeAgent(root, agent)),
    open: (client, options = {}) => client.open({ cwd: root, isProjectTrusted: true, ...options }),
  };
}

export async function turn(session: AgentSession, prompt = "go", onEvent: (event: AgentEvent) => unknown = () => {}) {
  const events: AgentEvent[] = [];
  for await (const event of session.turn(prompt)) {
    events.push(event);
    onEvent(event);
  }
  return { events, end: events.at(-1) as TerminalEvent };
}

export async function refusalOf(work: Promise<unknown>): Promise<AtomicError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!AtomicError.is(thrown)) throw new Error(`nothing was refused: ${String(thrown)}`);
  return thrown;
}

export const speaks = (text: string): string =>
  `say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: ${JSON.stringify(text)} } })`;
export const ends = 'answer({ stopReason: "end_turn" })';
