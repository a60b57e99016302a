// A stand-in for OpenCode's server, for tests of what goes wrong between this program and a server.

import { afterAll, afterEach } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "../../src/agents/events.ts";
import { createOpencodeClient } from "../../src/agents/opencode/opencode-client.ts";
import type { AgentSession, OpenOptions } from "../../src/agents/port.ts";
import { createProcessRegistry } from "../../src/agents/process/process-registry.ts";
import { systemClock, type Clock } from "../../src/lib/clock.ts";

type Json = Record<string, unknown>;

/** A temporary folder for stand-ins and programs. Ends what a test started after it, and is removed after all tests. */
export function createOpencodeWorld() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-opencode-faults-")));
  const work = join(root, "work");
  mkdirSync(work);
  mkdirSync(join(root, "tmp"));
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** Plays a server: answers what every test needs, and sends the events a test asks for. */
  async function standIn(
    routes: Record<string, (response: ServerResponse, body: string) => unknown> = {},
    clock: Clock = systemClock,
  ) {
    const streams = new Set<ServerResponse>();
    const calls: string[] = [];
    const state: { messages: unknown[]; permissions: unknown[]; status: Json } = {
      messages: [],
      permissions: [],
      status: {},
    };
    const unauthorised: string[] = [];
    const json = (value: unknown) => (response: ServerResponse) => response.end(JSON.stringify(value));
    const standard: typeof routes = {
      "GET /global/health": json({ healthy: true, version: "1.18.18" }),
      "POST /session": json({ id: "ses_1" }),
      "POST /session/ses_1/prompt_async": (response) => response.writeHead(204).end(),
      "POST /session/ses_1/abort": json(true),
      "GET /session/status": (response) => json(state.status)(response),
      "GET /session/ses_1/message": (response) => json(state.messages)(response),
      "GET /question": json([]),
      "GET /permission": (response) => json(state.permissions)(response),
      "POST /instance/dispose": json(true),
    };
    const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
      const route = `${incoming.method} ${incoming.url?.split("?")[0]}`;
      if (!incoming.headers.authorization?.startsWith("Basic ")) unauthorised.push(route);
      calls.push(route);
      if (route === "GET /event") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write('data: {"type":"server.connected","properties":{}}\n\n');
        streams.add(response);
        response.on("close", () => streams.delete(response));
        return;
      }
      let body = "";
      for await (const chunk of incoming) body += String(chunk);
      const answer = routes[route] ?? standard[route] ?? json(true);
      answer(response, body);
    };
    const server = createServer((incoming, response) => void serve(incoming, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const pidFile = join(root, `pid-${port}`);
    const program = script(
      `opencode-${port}`,
      `echo $$ >> '${pidFile}'; echo "opencode server listening on http://127.0.0.1:${port}"; exec tail -f /dev/null`,
    );
    const client = createOpencodeClient({ ...host(program, clock), retries: { attempts: 0 } });
    cleanUps.push(
      () => server.closeAllConnections(),
      () => server.close(),
      () => client.close(),
    );
    return {
      client,
      calls,
      state,
      unauthorised,
      open: (options: Partial<OpenOptions> = {}): Promise<AgentSession> => client.open({ cwd: work, ...options }),
      send(type: string, properties: Json) {
        for (const stream of streams) stream.write(`data: ${JSON.stringify({ type, properties })}\n\n`);
      },
      sendRaw(text: string) {
        for (const stream of streams) stream.write(text);
      },
      /** Of the servers that were started, in order. */
      pids: () => readFileSync(pidFile, "utf8").trim().split("\n").map(Number),
      drop() {
        for (const stream of streams) stream.destroy();
      },
    };
  }

  function host(program: string, clock: Clock = systemClock) {
    return {
      environment: { user: { PATH: process.env["PATH"] ?? "", HOME: join(root, "home"), TMPDIR: join(root, "tmp") } },
      programs: { opencode: program },
      registry: createProcessRegistry(join(root, "pids")),
      clock,
      newId: () => crypto.randomUUID(),
    };
  }

  function script(name: string, text: string): string {
    const path = join(root, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  return { root, work, host, script, standIn };
}

export function read(session: AgentSession, options: Parameters<AgentSession["turn"]>[1] = {}) {
  const seen: AgentEvent[] = [];
  const done = (async () => {
    for await (const event of session.turn("do it", options)) seen.push(event);
    return seen.at(-1);
  })();
  return { seen, done };
}

export const user = (id: string): Json => ({
  info: { role: "user", id, sessionID: "ses_1", model: { providerID: "p", modelID: "m" } },
});
const tokens = { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } };
export const reply = (id: string, parentID: string, fields: Json = {}): { info: Json } => ({
  info: {
    role: "assistant",
    id,
    parentID,
    sessionID: "ses_1",
    providerID: "p",
    modelID: "m",
    time: {},
    tokens,
    ...fields,
  },
});
export const done = { time: { completed: 1 }, finish: "stop" };
export const part = (messageID: string, text: string): Json => ({
  part: { id: `prt_${messageID}`, messageID, sessionID: "ses_1", type: "text", text },
});
export const idle: Json = { sessionID: "ses_1", status: { type: "idle" } };
export const prompts = (calls: readonly string[]): number =>
  calls.filter((call) => call.endsWith("prompt_async")).length;
