import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { createDeferred } from "../lib/deferred.ts";
import { defineAgentTool } from "./agent-tool.ts";
import { startToolServer, type LocalToolServer } from "./tool-server.ts";

let server: LocalToolServer;
const slow = createDeferred<AbortSignal>();

beforeAll(async () => {
  server = await startToolServer([
    defineAgentTool({
      name: "add",
      description: "adds",
      parameters: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => String(a + b),
    }),
    defineAgentTool({
      name: "slow",
      description: "never ends",
      parameters: z.object({}),
      execute: (_, signal) => {
        slow.resolve(signal);
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
      },
    }),
  ]);
});
afterAll(() => server.close());

function post(body: unknown, headers: Readonly<Record<string, string>> = server.headers, signal?: AbortSignal) {
  return fetch(server.url, { method: "POST", headers, body: JSON.stringify(body), ...(signal && { signal }) });
}

const call = (id: number, name: string, input: unknown): unknown => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: input },
});

test("the tool server lists its tools with their schemas", async () => {
  const answer = await (await post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).json();

  expect(answer).toMatchObject({
    id: 1,
    result: { tools: [{ name: "add", inputSchema: { type: "object", required: ["a", "b"] } }, { name: "slow" }] },
  });
});

test("the tool server calls a tool, and reports wrong input to the model", async () => {
  expect(await (await post(call(1, "add", { a: 2, b: 3 }))).json()).toMatchObject({
    result: { content: [{ text: "5" }], isError: false },
  });
  expect(await (await post(call(2, "add", { a: "two" }))).json()).toMatchObject({ result: { isError: true } });
  expect(await (await post(call(3, "gone", {}))).json()).toMatchObject({ error: { code: -32602 } });
});

test("the tool server refuses requests without the token", async () => {
  expect((await post(call(1, "add", { a: 2, b: 3 }), {})).status).toBe(401);
  expect((await post(call(1, "add", {}), { authorization: "Bearer guess" })).status).toBe(401);
});

test("the tool server stops a call whose caller has gone", async () => {
  const gone = new AbortController();
  const answer = post(call(7, "slow", {}), server.headers, gone.signal);
  const signal = await slow.promise;
  gone.abort();
  await expect(answer).rejects.toThrow();
  for (let i = 0; i < 200 && !signal.aborted; i++) await Bun.sleep(10);

  expect(signal.aborted).toBe(true);
});

test("the tool server refuses malformed requests", async () => {
  expect((await post("rubbish")).status).toBe(400);
  expect((await fetch(server.url, { headers: server.headers })).status).toBe(405);
});
