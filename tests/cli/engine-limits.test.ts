// Limits of a workflow's own loops, through the real program: reaching one pauses the run, raising it resumes.

import { expect, setDefaultTimeout, test } from "bun:test";
import { type CliWorld, createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

function start(world: CliWorld, workflow: string, ...more: readonly string[]) {
  return world.run(["run", workflow, "-a", "scripted", "--script", world.script("s", []), "--json", ...more]);
}

const head = (name: string, imports: string) => `import { ${imports} } from "atomic/workflows";
export const name = "${name}";
export const description = "Counts";
export const prompt = "none";
const annotations = { total: annotation(0, Reducers.sum) };
const add = createNode({ id: "add", execute: () => ({ stateUpdate: { total: 1 } }) });
`;

test("a loop that sets no limit pauses at the run's with exit 5, and --max-iterations resumes it", async () => {
  const world = createCliWorld();
  world.workflow(
    "counter",
    `${head("counter", "annotation, createNode, graph, Reducers")}
const end = createNode({ id: "end", execute: ({ state }) => ({ stateUpdate: { outputs: { total: state.total } } }) });
export default () => graph(annotations).start(add).loop({ ...add, id: "more" }, { until: (s) => s.total > 150 }).then(end);
`,
  );

  const first = await start(world, "counter");
  const id = world.onlyRun();
  expect(first.exitCode).toBe(5);
  expect(first.events().at(-1)).toMatchObject({ type: "run.paused", reason: "budget", limit: "max-iterations" });
  expect(first.stderr).toContain('"loop-1" ran 100 times and is not done.');
  expect(first.stderr).toContain("Raise `maxIterations` of the run");
  expect(first.stderr).toContain(`Resume with: atomic resume ${id} --max-iterations N`);

  const same = await world.run(["resume", "--json"]);
  expect(same.exitCode).toBe(5);
  expect(same.events().filter(({ type }) => type === "node.finished")).toEqual([]);
  const raised = await world.run(["resume", "--json", "--max-iterations", "200"]);
  expect(raised.exitCode).toBe(0);
  expect(raised.events().find((event) => event["node"] === "end" && event.type === "node.finished")).toMatchObject({
    update: { outputs: { total: 151 } },
  });
});

test("a graph's own maxIterations pauses it with exit 5, and --max-iterations resumes it", async () => {
  const world = createCliWorld();
  const source = (maxIterations: number) => `${head("circle", "annotation, createNode, Reducers")}
export const graphConfig = {
  nodes: [add, createNode({ id: "end", execute: ({ state }) => ({ stateUpdate: { outputs: { total: state.total } } }) })],
  edges: [{ from: "add", to: "add", condition: (s) => s.total < 12 }, { from: "add", to: "end" }],
  startNode: "add",
  stateAnnotations: annotations,
  maxIterations: ${maxIterations},
};
`;
  world.workflow("circle", source(5));

  const first = await start(world, "circle");
  expect(first.exitCode).toBe(5);
  expect(first.events().at(-1)).toMatchObject({ type: "run.paused", reason: "budget", limit: "max-iterations" });
  expect(first.stderr).toContain('Node "add" was reached 5 times and comes again.');
  expect(first.stderr).toContain("--max-iterations N");

  expect((await world.run(["resume"])).exitCode).toBe(5);
  const raised = await world.run(["resume", "--json", "--max-iterations", "20"]);
  expect([raised.exitCode, raised.stderr]).toEqual([0, expect.any(String)]);
  expect(raised.events().filter((event) => event.type === "node.finished" && event["node"] === "add")).toHaveLength(7);
});
