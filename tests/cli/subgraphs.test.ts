// Workflows that use other workflows by name: in every form, with the state and the options these declare.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll, type CliWorld } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

/** A graph config with its own state. */
const child = `import { toolNode } from "atomic/workflows";
export const name = "child";
export const description = "Greets";
export const options = { greeting: { type: "string", default: "hello", description: "What to say" } };
export const graphConfig = {
  startNode: "greet",
  nodes: [toolNode({ id: "greet", execute: (state) => state.words.join(" ") + (state.fromFile ? " file" : "") })],
  edges: [],
};
export function createState({ prompt, options, cwd, sessionDir, maxIterations }) {
  const facts = [cwd !== "", sessionDir !== "", maxIterations].join(",");
  return { executionId: "", outputs: {}, words: [options.greeting, prompt, facts], fromFile: false };
}
`;

function parent(world: CliWorld, name: string, node: string, more = ""): void {
  world.workflow(
    name,
    `import { graph, resolveWorkflowRef, subgraphNode, toolNode } from "atomic/workflows";
export const name = "${name}";
export const description = "Uses another workflow";
${more}
export default () => graph().start(subgraphNode(${node}));
`,
  );
}

const mapped = `outputMapper: (inner) => ({ outputs: { said: inner.outputs.greet } })`;

function createWorld(): CliWorld {
  const world = createCliWorld();
  world.workflow("child", child);
  parent(world, "by-name", `{ id: "sub", subgraph: "child", ${mapped} }`);
  parent(
    world,
    "mapped",
    `{ id: "sub", subgraph: "child", inputMapper: () => ({ prompt: "you", fromFile: true }), options: { greeting: "hi" }, ${mapped} }`,
  );
  parent(world, "by-reference", `"sub", resolveWorkflowRef("child"), { ${mapped} }`);
  parent(world, "wrong", `{ id: "sub", subgraph: "child", options: { greting: "hi" }, ${mapped} }`);
  return world;
}

test("a workflow used by name or by reference gets its createState and the defaults of its options", async () => {
  const world = createWorld();
  const script = world.script("none", []);
  const said = async (name: string): Promise<string> =>
    (await world.run(["run", name, "world", "--script", script, "--max-iterations", "7"])).stdout;

  expect(await said("by-name")).toContain("hello world true,true,7");
  expect(await said("by-reference")).toContain("hello world true,true,7");
  expect(await said("mapped")).toContain("hi you true,true,7 file");
  const wrong = await world.run(["run", "wrong", "world", "--script", script]);
  expect(wrong.exitCode).toBe(1);
  expect(wrong.stderr).toContain('The workflow "child" has no option "greting"');
});

test("a prompt-only workflow used by name gets the prompt of the run", async () => {
  const world = createWorld();
  world.workflow("ask", `export const name = "ask"; export const description = "Only a prompt";`);
  parent(
    world,
    "asks",
    `{ id: "sub", subgraph: "ask", inputMapper: () => ({}), outputMapper: (inner) => ({ outputs: inner.outputs }) }`,
  );
  const script = world.script("ask", [{ match: "^what now$", steps: [{ say: "this" }] }]);
  const ended = await world.run(["run", "asks", "what now", "--script", script]);

  expect(ended.exitCode).toBe(0);
  expect(ended.stdout).toContain("this");
});

test("ralph inside another workflow plans, works, and is resumed after a kill where it stood", async () => {
  const world = createWorld();
  parent(
    world,
    "outer",
    `{ id: "build", subgraph: "ralph", inputMapper: () => ({ prompt: "Build it" }), options: { workers: 1, "max-reviews": 0 }, outputMapper: (inner) => ({ outputs: { tasks: inner.tasks.map((task) => task.status).join() } }) }`,
  );
  const plan = {
    tasks: [
      { id: "1", title: "First" },
      { id: "2", title: "Second", blockedBy: ["1"] },
    ],
  };
  const script = world.script("ralph", [
    { agent: "planner", match: "Build it", steps: [{ bash: "echo planned >> plans" }, { say: JSON.stringify(plan) }] },
    { agent: "worker", task: "1", steps: [{ bash: "echo one >> work" }, { say: "did one" }] },
    {
      agent: "worker",
      task: "2",
      steps: [
        { bash: "[ -e held ] || { touch held; exec sleep 60; }" },
        { bash: "echo two >> work" },
        { say: "did two" },
      ],
    },
  ]);
  const live = world.start(["run", "outer", "go", "--script", script]);
  await poll(() => (existsSync(join(world.project, "held")) ? true : undefined));
  live.signal("SIGKILL");
  await live.ended;
  const resumed = await world.run(["resume", world.onlyRun()]);

  expect(resumed.exitCode).toBe(0);
  expect(world.read("project/plans")).toBe("planned\n");
  expect(world.read("project/work")).toBe("one\ntwo\n");
  expect(resumed.stdout).toContain("First");
});

test("a createState that throws, or returns no state, is reported as the author's mistake", async () => {
  const world = createWorld();
  const script = world.script("none", []);
  const broken = [
    ["throws", `createState() { throw new Error("no such topic"); }`, "threw: no such topic"],
    ["nothing", `createState() {}`, "returned undefined"],
    ["late", `async createState() { return { outputs: {} }; }`, "returned a promise"],
  ] as const;
  for (const [name, method, says] of broken) {
    world.workflow(
      name,
      `import { toolNode } from "atomic/workflows";
export const name = "${name}";
export const prompt = "none";
export const graphConfig = { startNode: "a", nodes: [toolNode({ id: "a", execute: () => 1 })], edges: [] };
export const { createState } = { ${method} };
`,
    );
    const ended = await world.run(["run", name, "--script", script]);
    expect([name, ended.exitCode]).toEqual([name, 1]);
    expect(ended.stderr).toContain(`CREATE_STATE_FAILED: createState of the workflow "${name}" ${says}`);
    expect(ended.stderr).not.toContain("this should not happen");
  }
});
