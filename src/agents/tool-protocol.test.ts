import { expect, test } from "bun:test";
import { z } from "zod";
import { defineAgentTool } from "./agent-tool.ts";
import { createToolProtocol, type McpReply } from "./tool-protocol.ts";

const add = defineAgentTool({
  name: "add",
  description: "adds two numbers",
  parameters: z.object({ a: z.number().describe("the first"), b: z.number() }),
  execute: ({ a, b }) => `the sum is ${a + b}`,
});

const resultOf = (reply: McpReply | undefined): unknown =>
  reply !== undefined && "result" in reply ? reply.result : undefined;
const errorOf = (reply: McpReply | undefined): { code: number; message: string } | undefined =>
  reply !== undefined && "error" in reply ? reply.error : undefined;

test("createToolProtocol lists its tools with the schema they have", async () => {
  const protocol = createToolProtocol([add]);
  const hello = await protocol.answer({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } });
  expect(resultOf(hello)).toMatchObject({ protocolVersion: "2025-06-18", capabilities: { tools: {} } });

  expect(resultOf(await protocol.answer({ id: 2, method: "tools/list" }))).toMatchObject({
    tools: [
      {
        name: "add",
        description: "adds two numbers",
        inputSchema: {
          type: "object",
          properties: { a: { type: "number", description: "the first" } },
          required: ["a", "b"],
        },
      },
    ],
  });
});

test("createToolProtocol calls a tool, and reports wrong input to the model", async () => {
  const protocol = createToolProtocol([add]);
  const call = async (args: unknown): Promise<unknown> =>
    resultOf(await protocol.answer({ id: "x", method: "tools/call", params: { name: "add", arguments: args } }));

  expect(await call({ a: 2, b: 3 })).toEqual({ content: [{ type: "text", text: "the sum is 5" }], isError: false });
  expect(await call({ a: "two" })).toMatchObject({ isError: true });
});

test("createToolProtocol refuses tools and methods it does not have", async () => {
  const protocol = createToolProtocol([add]);
  const unknownTool = await protocol.answer({ id: 1, method: "tools/call", params: { name: "sub" } });
  expect(errorOf(unknownTool)?.message).toContain('"sub"');
  expect(errorOf(await protocol.answer({ id: 2, method: "resources/list" }))?.code).toBe(-32601);
});

test("createToolProtocol stops a call that was given up", async () => {
  const stuck = defineAgentTool({
    name: "stuck",
    description: "waits until it is stopped",
    parameters: z.object({}),
    execute: (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped"))),
  });
  const protocol = createToolProtocol([stuck]);
  const reply = protocol.answer({ id: 7, method: "tools/call", params: { name: "stuck", arguments: {} } });
  await protocol.answer({ method: "notifications/cancelled", params: { requestId: 7 } });

  expect(resultOf(await reply)).toMatchObject({ content: [{ text: "stopped" }] });
});
