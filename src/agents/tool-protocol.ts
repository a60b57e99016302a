// Tools of this program in the words of the Model Context Protocol, whatever carries the messages: they are listed with
// the JSON schema they already have, and called; nothing else of the protocol is needed.

import { messageOf } from "../lib/errors.ts";
import type { AgentTool } from "./agent-tool.ts";

/** JSON-RPC 2.0: a request has a method and an id, a notification has no id. */
export interface McpMessage {
  id?: string | number | undefined;
  method?: string | undefined;
  params?: Record<string, unknown> | undefined;
}

export type McpReply = { jsonrpc: "2.0"; id: string | number } & (
  | { result: Record<string, unknown> }
  | { error: { code: number; message: string } }
);

export interface ToolProtocol {
  /** The reply to a request; undefined where none is due. Clients number their requests each for themselves. */
  answer(message: McpMessage, client?: string): Promise<McpReply | undefined>;
  /** The call is no longer awaited. */
  cancel(id: unknown, client?: string): void;
  cancelAll(): void;
}

/** What our tools are listed under: programs call them `mcp__atomic__NAME` or `atomic_NAME`. */
export const toolServerName = "atomic";

export function createToolProtocol(tools: readonly AgentTool[]): ToolProtocol {
  const running = new Map<string, AbortController>();
  const keyOf = (id: unknown, client: string): string => `${client} ${JSON.stringify(id)}`;

  async function callTool(key: string, params: Readonly<Record<string, unknown>>): Promise<Answer> {
    const tool = tools.find(({ name }) => name === params["name"]);
    if (tool === undefined) return failed(-32602, `There is no tool "${String(params["name"])}"`);
    const stop = new AbortController();
    running.set(key, stop);
    try {
      const { text, isError } = await tool.call(params["arguments"] ?? {}, stop.signal);
      return { result: { content: [{ type: "text", text }], isError } };
    } catch (thrown) {
      return failed(-32603, messageOf(thrown));
    } finally {
      running.delete(key);
    }
  }

  function reply(method: string, params: Readonly<Record<string, unknown>>, key: string): Answer | Promise<Answer> {
    const asked = params["protocolVersion"];
    switch (method) {
      case "initialize":
        return {
          result: {
            protocolVersion: typeof asked === "string" ? asked : "2025-03-26",
            capabilities: { tools: {} },
            serverInfo: { name: toolServerName, version: "1" },
          },
        };
      case "ping":
        return { result: {} };
      case "tools/list":
        return { result: { tools: tools.map(describe) } };
      case "tools/call":
        return callTool(key, params);
      default:
        return failed(-32601, `There is no method "${method}"`);
    }
  }

  function cancel(id: unknown, client = ""): void {
    running.get(keyOf(id, client))?.abort();
  }

  return {
    async answer({ id, method, params = {} }, client = "") {
      if (id === undefined && method === "notifications/cancelled") cancel(params["requestId"], client);
      // A notification, or the answer to a question that was never asked.
      if (id === undefined || method === undefined) return undefined;
      return { jsonrpc: "2.0", id, ...(await reply(method, params, keyOf(id, client))) };
    },
    cancel,
    cancelAll() {
      for (const stop of running.values()) stop.abort();
    },
  };
}

type Answer = { result: Record<string, unknown> } | { error: { code: number; message: string } };

function failed(code: number, message: string): Answer {
  return { error: { code, message } };
}

function describe({ name, description, inputSchema }: AgentTool): Record<string, unknown> {
  return {
    name,
    description,
    inputSchema: { type: "object", ...inputSchema },
    // Always in the model's sight: Claude Code may hide tools of servers until they are searched for.
    _meta: { "anthropic/alwaysLoad": true },
  };
}
