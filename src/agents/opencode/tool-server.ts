// Tools of this program for an agent in another process: an MCP server on loopback, spoken to with plain JSON answers
// (the protocol's "streamable HTTP" without its streams, which no tool here needs). Only who has the token may call.

import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { AgentTool } from "../agent-tool.ts";

export interface ToolServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the calls that run, too. */
  close(): Promise<void>;
}

const maxBodyBytes = 16 * 1024 * 1024;
/** Given out with the first answer; the client sends it along from then on. */
const clientHeader = "mcp-session-id";

const requestSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});

type Request = z.output<typeof requestSchema>;

export async function startToolServer(tools: readonly AgentTool[]): Promise<ToolServer> {
  const token = randomBytes(32).toString("hex");
  // Every folder of the agent is a client of its own, and each numbers its requests from 0.
  const running = new Map<string, AbortController>();

  async function answer(request: Request, key: string): Promise<JsonObject> {
    const params = request.params ?? {};
    const asked = params["protocolVersion"];
    switch (request.method) {
      case "initialize":
        return {
          result: {
            protocolVersion: typeof asked === "string" ? asked : "2025-03-26",
            capabilities: { tools: {} },
            serverInfo: { name: "atomic", version: "1" },
          },
        };
      case "ping":
        return { result: {} };
      case "tools/list":
        return { result: { tools: tools.map(describe) } };
      case "tools/call":
        return callTool(key, params);
      default:
        return { error: { code: -32601, message: `no method ${request.method}` } };
    }
  }

  async function callTool(key: string, params: Readonly<Record<string, unknown>>): Promise<JsonObject> {
    const tool = tools.find(({ name }) => name === params["name"]);
    if (tool === undefined) return { error: { code: -32602, message: `no tool ${String(params["name"])}` } };
    const stop = new AbortController();
    running.set(key, stop);
    try {
      const { text, isError } = await tool.call(params["arguments"] ?? {}, stop.signal);
      return { result: { content: [{ type: "text", text }], isError } };
    } finally {
      running.delete(key);
    }
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.headers.authorization !== `Bearer ${token}`) return send(response, 401);
    if (incoming.method !== "POST") return send(response, 405);
    const request = requestSchema.safeParse(await readJson(incoming)).data;
    if (request === undefined) return send(response, 400);
    const client = String(incoming.headers[clientHeader] ?? randomUUID());
    if (request.id === undefined) {
      if (request.method === "notifications/cancelled")
        running.get(`${client} ${String(request.params?.["requestId"])}`)?.abort();
      return send(response, 202);
    }
    const key = `${client} ${request.id}`;
    // A client that has gone wants no answer any more.
    response.once("close", () => response.writableEnded || running.get(key)?.abort());
    response.setHeader(clientHeader, client);
    send(response, 200, { jsonrpc: "2.0", id: request.id, ...(await answer(request, key)) });
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    headers: { authorization: `Bearer ${token}` },
    close: () =>
      new Promise((resolve) => {
        for (const stop of running.values()) stop.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function describe({ name, description, inputSchema }: AgentTool): JsonObject {
  return { name, description, inputSchema: { type: "object", ...inputSchema } };
}

function send(response: ServerResponse, status: number, body?: Json): void {
  response.writeHead(status, body === undefined ? {} : { "content-type": "application/json" });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size > maxBodyBytes) throw new Error("too large");
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}
