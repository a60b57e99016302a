// A turn that said and did nothing, was refused or was cut off, as a user sees it: never a finished task, never a
// completed run, and the kind of failure on record.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const unfinished: readonly (readonly [string, readonly object[], string])[] = [
  ["says nothing", [], "invalid_output"],
  ["says blanks", [{ say: " \n" }], "invalid_output"],
  ["says what shows nothing", [{ say: "\u200b\u2060\ufeff\u00ad \u2800" }], "invalid_output"],
  ["only thinks", [{ think: "Hm." }], "invalid_output"],
  ["refuses", [{ say: "No." }, { fail: { kind: "refused" } }], "refused"],
];

test.each(unfinished)("a worker that %s leaves its task failed, with no check at all", async (_, steps, kind) => {
  const world = createCliWorld();
  const plan = { agent: "planner", steps: [{ say: JSON.stringify({ tasks: [{ id: "1", title: "Build it" }] }) }] };
  const script = world.script("s", [plan, { agent: "worker", steps }]);
  const run = await world.run(["ralph", "Do it", "--script", script, "--json", "--max-reviews", "0"]);

  expect(run.exitCode).toBe(1);
  const updates = run.events().filter(({ type }) => type === "task.updated");
  expect(updates.at(-1)?.["task"]).toMatchObject({ status: "failed" });
  const turns = run.events().filter(({ type, task }) => type === "agent.turn-finished" && task === "1");
  expect(turns.length).toBeGreaterThan(0);
  expect(turns.map(({ outcome, failure }) => [outcome, (failure as { kind: string }).kind])).toEqual(
    turns.map(() => ["failed", kind]),
  );
});

test.each(unfinished)("an agentNode whose agent %s fails with that kind", async (_, steps, kind) => {
  const world = createCliWorld();
  world.workflow(
    "ask",
    `import { agentNode, graph } from "atomic/workflows";
export const name = "ask";
export const prompt = "optional";
export default () => graph().start(agentNode({ id: "turn", prompt: "go" }));
`,
  );
  const run = await world.run(["run", "ask", "--script", world.script("s", [{ steps }]), "--json"]);

  expect(run.exitCode).toBe(1);
  const eventOf = (wanted: string) => run.events().find(({ type }) => type === wanted);
  expect(eventOf("node.failed")?.["error"]).toMatchObject({ code: "AGENT_TURN_FAILED" });
  expect(eventOf("agent.turn-finished")).toMatchObject({ outcome: "failed", failure: { kind } });
});
