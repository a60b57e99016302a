// Tools of this program for an agent in another process: an MCP server on loopback, spoken to with plain JSON answers
// (the protocol's "streamable HTTP" without its streams, which no tool here needs). Only callers with the token may call.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { parseJson } from "../lib/parse-json.ts";
import { randomHex } from "../lib/random-hex.ts";
import type { AgentTool } from "./agent-tool.ts";
import { createToolProtocol, type McpReply } from "./tool-protocol.ts";

export interface LocalToolServer {
  readonly url: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the calls that run, too. */
  close(): Promise<void>;
}

const maxBodyBytes = 16 * 1024 * 1024;
/** Given out with the first answer; the client sends it along from then on. */
const clientHeader = "mcp-session-id";

const messageSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});

export async function startToolServer(tools: readonly AgentTool[]): Promise<LocalToolServer> {
  const token = randomHex(32);
  const protocol = createToolProtocol(tools);

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.headers.authorization !== `Bearer ${token}`) return send(response, 401);
    if (incoming.method !== "POST") return send(response, 405);
    const message = messageSchema.safeParse(await readJson(incoming)).data;
    if (message === undefined) return send(response, 400);
    // Every folder of an agent is a separate client.
    const client = String(incoming.headers[clientHeader] ?? crypto.randomUUID());
    // A client that has gone wants no answer any more.
    response.once("close", () => response.writableEnded || protocol.cancel(message.id, client));
    const reply = await protocol.answer(message, client);
    if (reply === undefined) return send(response, 202);
    response.setHeader(clientHeader, client);
    send(response, 200, reply);
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    headers: { authorization: `Bearer ${token}` },
    close: () =>
      new Promise((resolve) => {
        protocol.cancelAll();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, status: number, body?: McpReply): void {
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
  return parseJson(Buffer.concat(chunks).toString("utf8"))?.value;
}
