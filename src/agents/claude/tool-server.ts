// Tools of this program, offered to Claude: a server of the Model Context Protocol that lives in this process and whose
// messages the SDK carries. It lists tools with the JSON schema they already have and calls them; nothing else of the
// protocol is needed. (The SDK's own helper takes zod shapes only, and would lose what a schema says beyond them.)

import { messageOf } from "../../lib/errors.ts";
import type { AgentTool } from "../agent-tool.ts";
import type { ClaudeToolServer, McpMessage, McpReply, McpTransport } from "./sdk.ts";

/** The program calls a tool of ours `mcp__atomic__NAME`. */
export const toolServerName = "atomic";

export function createToolServer(tools: readonly AgentTool[], toolLimitMs: number): ClaudeToolServer {
  const running = new Map<string | number, AbortController>();

  async function callTool(id: string | number, params: Readonly<Record<string, unknown>>): Promise<McpReply> {
    const tool = tools.find(({ name }) => name === params["name"]);
    if (tool === undefined) return failed(id, -32602, `There is no tool "${String(params["name"])}"`);
    const stop = new AbortController();
    running.set(id, stop);
    const { text, isError } = await tool.call(params["arguments"] ?? {}, stop.signal);
    running.delete(id);
    return answered(id, { content: [{ type: "text", text }], isError });
  }

  async function answer(message: McpMessage): Promise<McpReply | undefined> {
    const { id, method, params = {} } = message;
    if (id === undefined) {
      const cancelled = params["requestId"];
      if (method === "notifications/cancelled" && isId(cancelled)) running.get(cancelled)?.abort();
      return undefined;
    }
    switch (method) {
      case "initialize":
        return answered(id, {
          protocolVersion: params["protocolVersion"],
          capabilities: { tools: {} },
          serverInfo: { name: toolServerName, version: "1" },
        });
      case "tools/list":
        return answered(id, { tools: tools.map(describe) });
      case "tools/call":
        return callTool(id, params);
      case "ping":
        return answered(id, {});
      case undefined:
        // The answer to a question that was never asked.
        return undefined;
      default:
        return failed(id, -32601, `There is no method "${method}"`);
    }
  }

  return {
    type: "sdk",
    name: toolServerName,
    timeout: toolLimitMs,
    instance: {
      async connect(transport: McpTransport) {
        const onmessage = (message: McpMessage): void => {
          answer(message)
            .catch((thrown: unknown) =>
              message.id === undefined ? undefined : failed(message.id, -32603, messageOf(thrown)),
            )
            .then((reply) => (reply === undefined ? undefined : transport.send(reply)))
            // The program is gone, and with it whoever waited for the reply.
            .catch(() => {});
        };
        Object.assign(transport, { onmessage });
        await transport.start();
      },
    },
  };
}

/** Always in the model's sight: the program may hide tools of servers until they are searched for. */
function describe({ name, description, inputSchema }: AgentTool): Record<string, unknown> {
  return { name, description, inputSchema, _meta: { "anthropic/alwaysLoad": true } };
}

function answered(id: string | number, result: Record<string, unknown>): McpReply {
  return { jsonrpc: "2.0", id, result };
}

function failed(id: string | number, code: number, message: string): McpReply {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}
