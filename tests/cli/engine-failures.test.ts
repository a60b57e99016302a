// Failures of a workflow's own nodes, through the real program: what is retried, what is given up, what is reported.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

test("a node that kills its process is given up after maxAttempts, with exit 1", async () => {
  const world = createCliWorld();
  world.workflow(
    "deadly",
    `import { createNode, graph } from "atomic/workflows";
export const name = "deadly";
export const description = "Kills its process";
export const prompt = "none";
const node = createNode({
  id: "kill",
  retry: { maxAttempts: 2, backoffMs: 0 },
  execute: () => process.kill(process.pid, "SIGKILL") && new Promise(() => {}),
});
export default () => graph().start(node);
`,
  );
  const first = await world.run(["run", "deadly", "-a", "scripted", "--script", world.script("s", []), "--json"]);
  const second = await world.run(["resume", "--json"]);
  const third = await world.run(["resume", "--json"]);

  expect([first.exitCode, second.exitCode, third.exitCode]).toEqual([null, null, 1]);
  expect(third.events().at(-1)).toMatchObject({ type: "run.finished", outcome: "failed" });
  expect(third.stderr).toContain('Node "kill" was started 2 times and its process ended before it did.');
});

test("a failure in a parallel branch runs the catch once, after the other branches, and not what follows them", async () => {
  const world = createCliWorld();
  world.workflow(
    "saga",
    `import { createNode, graph } from "atomic/workflows";
export const name = "saga";
export const description = "Compensates once";
export const prompt = "none";
const node = (id, execute = () => {}) => createNode({ id, execute: async (ctx) => {
  await execute(ctx);
  return { stateUpdate: { outputs: { [id]: ctx.failure?.node ?? "done" } } };
} });
const fails = (id) => node(id, () => { throw new Error("no " + id); });
const later = (id) => node(id, () => new Promise((resolve) => setTimeout(resolve, 200)));
export default () => graph()
  .start(node("start"))
  .parallel({ branches: [fails("hotel"), [later("flight"), node("seat")], fails("car")] })
  .then(node("pay"))
  .catch(node("refund"));
`,
  );
  const run = await world.run(["run", "saga", "-a", "scripted", "--script", world.script("s", []), "--json"]);
  const finished = run.events().flatMap(({ type, node }) => (type === "node.finished" ? [node] : []));

  expect(run.exitCode).toBe(0);
  expect(finished).toEqual(["start", "flight", "seat", "refund"]);
  expect(run.events().findLast(({ type }) => type === "node.finished")?.["update"]).toEqual({
    outputs: { refund: "hotel" },
  });
});
