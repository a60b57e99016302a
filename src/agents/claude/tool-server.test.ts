import { expect, test } from "bun:test";
import { z } from "zod";
import { defineAgentTool } from "../agent-tool.ts";
import type { McpMessage } from "../tool-protocol.ts";
import type { McpTransport } from "./sdk.ts";
import { createToolServer } from "./tool-server.ts";

const add = defineAgentTool({
  name: "add",
  description: "adds two numbers",
  parameters: z.object({ a: z.number().describe("the first"), b: z.number() }),
  execute: ({ a, b }) => `the sum is ${a + b}`,
});

interface Reply {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The SDK's end: sends a message and gives the replies. */
async function connect(tools = [add]): Promise<(message: McpMessage) => Promise<Reply>> {
  const waiting = new Map<unknown, (reply: Reply) => void>();
  const transport: McpTransport = {
    start: async () => {},
    send: async (message) => waiting.get(message.id)?.(message),
  };
  await createToolServer(tools, 60_000).instance.connect(transport);
  return (message) =>
    new Promise((resolve) => {
      waiting.set(message.id, resolve);
      transport.onmessage?.(message);
    });
}

test("the tool server lists its tools with the schema they have", async () => {
  const ask = await connect();
  const hello = await ask({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } });
  expect(hello.result).toMatchObject({ protocolVersion: "2025-06-18", capabilities: { tools: {} } });

  const { result } = await ask({ id: 2, method: "tools/list" });
  expect(result?.["tools"]).toMatchObject([
    {
      name: "add",
      description: "adds two numbers",
      inputSchema: {
        type: "object",
        properties: { a: { type: "number", description: "the first" } },
        required: ["a", "b"],
      },
    },
  ]);
});

test("the tool server calls a tool, and tells the model what was wrong with its input", async () => {
  const ask = await connect();
  const call = (args: unknown): Promise<Reply> =>
    ask({ id: "x", method: "tools/call", params: { name: "add", arguments: args } });

  expect((await call({ a: 2, b: 3 })).result).toEqual({
    content: [{ type: "text", text: "the sum is 5" }],
    isError: false,
  });
  expect((await call({ a: "two" })).result).toMatchObject({ isError: true });
});

test("the tool server refuses tools and methods it does not have", async () => {
  const ask = await connect();
  expect((await ask({ id: 1, method: "tools/call", params: { name: "sub" } })).error?.message).toContain('"sub"');
  expect((await ask({ id: 2, method: "resources/list" })).error?.code).toBe(-32601);
});

test("the tool server stops a call that the program gave up", async () => {
  const stuck = defineAgentTool({
    name: "stuck",
    description: "waits until it is told to stop",
    parameters: z.object({}),
    execute: (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped"))),
  });
  const ask = await connect([stuck]);
  const reply = ask({ id: 7, method: "tools/call", params: { name: "stuck", arguments: {} } });
  void ask({ method: "notifications/cancelled", params: { requestId: 7 } });

  expect((await reply).result).toMatchObject({ content: [{ text: "stopped" }] });
});
