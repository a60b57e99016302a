// `maxIterations` of a graph config: it reaches `createState`, pauses the run, and a flag or a resume changes it.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const script = world.script("none", []);
world.workflow(
  "loop",
  `import { createNode } from "atomic/workflows";
export const name = "loop";
export const prompt = "none";
export const graphConfig = {
  startNode: "work",
  nodes: [createNode({ id: "work", execute: ({ state }) => ({ stateUpdate: { done: state.done + 1, outputs: { work: state.done + 1 + " of " + state.limit } } }) })],
  edges: [{ from: "work", to: "work", condition: (state) => state.done < 5 }],
  maxIterations: 3,
};
export function createState({ maxIterations }) {
  return { outputs: {}, done: 0, limit: maxIterations };
}
`,
);
const run = ["run", "loop", "--script", script];

test("a graph's maxIterations reaches createState and pauses the run, and resume takes a higher one", async () => {
  const paused = await world.run([...run, "--json"]);
  const id = paused.events()[0]?.runId ?? "";

  expect(paused.exitCode).toBe(5);
  expect(paused.events().at(-1)).toMatchObject({ type: "run.paused", reason: "budget", limit: "max-iterations" });
  expect(paused.events()[0]).toMatchObject({ maxIterations: 3 });
  expect(paused.stderr).toContain("--max-iterations N");
  const resumed = await world.run(["resume", id, "--max-iterations", "10"]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.stdout).toContain("5 of 3");
});

test("--max-iterations comes before the graph's own, and a tighter setting of the user too", async () => {
  const more = await world.run([...run, "--max-iterations", "0"]);
  expect(more.exitCode).toBe(0);
  expect(more.stdout).toContain("5 of 0");
  const fewer = await world.run([...run, "--json"], { env: { ATOMIC_MAX_ITERATIONS: "2" } });
  expect(fewer.exitCode).toBe(5);
  expect(fewer.events()[0]).toMatchObject({ maxIterations: 2 });
});
