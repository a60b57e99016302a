// Clients that a program hands to a run: several of one kind, and values that are not clients.

import { expect, test } from "bun:test";
import { agentNode, executeGraph, executeWorkflow, graph, MemorySaver } from "../src/public/workflows.ts";
import { scriptedAgent } from "../src/public/testing.ts";

const asking = graph()
  .start(agentNode({ id: "first", prompt: "work" }))
  .then(agentNode({ id: "second", prompt: "work" }))
  .compile();

test("two clients of one kind, such as two accounts, are out each by itself", async () => {
  const limited = scriptedAgent([
    { steps: [{ fail: { kind: "rate_limited", message: "slow", resetInMs: 3_600_000 } }] },
  ]);
  const other = scriptedAgent([{ steps: [{ say: "the other account did" }] }]);
  const store = new MemorySaver();
  const result = await executeGraph(asking, { client: [limited, other], journal: { store, run: "r" } });

  expect(result).toMatchObject({ status: "completed", state: { outputs: { second: "the other account did" } } });
  const events = await Array.fromAsync(store.read("r"));
  expect(events.filter(({ type }) => type === "agent.switched")).toMatchObject([
    { from: "scripted", to: "scripted#2" },
  ]);
  await Promise.all([limited.close(), other.close()]);
});

test.each([null, "claude", {}, { kind: "claude" }, [{}]])(
  "a value that is no client is refused: %p",
  async (client) => {
    const refusal = "That is not an agent client. Make one with createClaudeClient()";
    const result = await executeGraph(asking, { client: client as never });
    expect(result.error?.message).toContain(refusal);

    const definition = { name: "w", description: "Asks", graph: asking };
    const executed = executeWorkflow(definition, { client: client as never });
    await expect(executed).rejects.toThrow(refusal);
  },
);
