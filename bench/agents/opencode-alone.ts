// The same turn through OpenCode's SDK alone, on a server that is set up like the backend's.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { programEnvironment } from "../../src/agents/process/backend-host.ts";
import { serverEnvironment } from "../../src/agents/opencode/server-config.ts";
import { quiet, userConfig } from "../../tests/agents/backends/opencode.ts";
import { rigHost, type RigPlace } from "../../tests/agents/rig.ts";
import type { BenchAgent } from "./agent.ts";
import { packages } from "./programs.ts";

interface SdkEvent {
  readonly type: string;
  readonly properties: {
    readonly sessionID?: string;
    readonly field?: string;
    readonly delta?: string;
    readonly status?: { readonly type: string };
  };
}

interface Sdk {
  createOpencodeClient(options: { baseUrl: string; directory: string; headers: Record<string, string> }): {
    event: { subscribe(): Promise<{ stream: AsyncIterable<SdkEvent> }> };
    session: {
      create(options: { title: string }): Promise<{ data?: { id: string } }>;
      promptAsync(options: {
        sessionID: string;
        model: { providerID: string; modelID: string };
        parts: { type: "text"; text: string }[];
      }): Promise<{ error?: unknown }>;
    };
  };
}

const password = "test-password";

export async function openAlone(place: RigPlace, cwd: string): Promise<BenchAgent> {
  const server = await startServer(place);
  const file = join(packages, "@opencode-ai/sdk/dist/v2/client.js");
  const { createOpencodeClient } = (await import(pathToFileURL(file).href)) as Sdk;
  const client = createOpencodeClient({
    baseUrl: server.url,
    directory: cwd,
    headers: { authorization: `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}` },
  });
  const { stream } = await client.event.subscribe();
  const events = stream[Symbol.asyncIterator]();
  const { data } = await client.session.create({ title: "Bench" });
  if (data === undefined) throw new Error("The server made no session.");
  const sessionID = data.id;
  return {
    async turn(prompt, onText) {
      const { error } = await client.session.promptAsync({
        sessionID,
        model: { providerID: "test", modelID: "fake-model" },
        parts: [{ type: "text", text: prompt }],
      });
      if (error !== undefined) throw new Error(JSON.stringify(error));
      for (;;) {
        const { value: event, done } = await events.next();
        if (done === true) throw new Error("The stream ended.");
        if (event.properties.sessionID !== sessionID) continue;
        if (event.type === "message.part.delta" && event.properties.field === "text")
          onText(event.properties.delta ?? "");
        if (event.type === "session.error") throw new Error(JSON.stringify(event));
        if (event.type === "session.status" && event.properties.status?.type === "idle") return;
      }
    },
    close: server.stop,
  };
}

async function startServer(place: RigPlace): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const folder = join(place.root, "opencode-alone");
  mkdirSync(folder, { recursive: true });
  const variables = { ...quiet, OPENCODE_CONFIG_CONTENT: JSON.stringify(userConfig(place)) };
  const user = programEnvironment(rigHost(place, variables), {});
  const needs = { isProjectTrusted: false, subagents: [] };
  const program = join(packages, `opencode-${process.platform}-${process.arch}/bin/opencode`);
  const child = spawn(program, ["serve", "--hostname=127.0.0.1", "--port=0"], {
    cwd: folder,
    env: { ...user, ...serverEnvironment({ needs, user, folder, password, tools: undefined }) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = /listening on (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then(() => reject(new Error(`The server ended: ${said}`)));
  });
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
