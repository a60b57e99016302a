import { expect, test } from "bun:test";
import { createCliWorld } from "./cli-world.ts";

const world = createCliWorld();
const nothing = world.script("nothing", [{ steps: [{ say: "ok" }] }]);

function emitting(name: string, body: string): void {
  world.workflow(
    name,
    `import { createNode, graph } from "atomic/workflows";
export const name = "${name}";
export const description = "Emits";
export const prompt = "none";
const speak = createNode({ id: "speak", execute: async (ctx) => { ${body} } });
const wait = createNode({ id: "wait", execute: async (ctx) => ({ stateUpdate: { outputs: { wait: await ctx.ask("Ready?") } } }) });
export default () => graph().start(speak).then(wait);
`,
  );
}

test("a node can't emit state.migrated, which would break the resume of its own run", async () => {
  emitting("migrates", `ctx.emit("state.migrated", { from: 0, to: 7 });`);
  const run = await world.run(["run", "migrates", "--script", nothing]);

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain(
    `Node "speak" emitted "state.migrated", which is a name of Atomic's own events. Choose another name.`,
  );
});

test("events of a workflow's author have their own namespace, and the run resumes", async () => {
  emitting("speaks", `ctx.emit("page.read", { key: "mine", seq: 99, type: "node.finished" }); ctx.emit("ping");`);
  const run = await world.run(["run", "speaks", "--script", nothing, "--json"]);
  const custom = run.events().filter(({ type }) => type === "custom");

  expect(run.exitCode).toBe(4);
  expect(custom).toMatchObject([
    { node: "speak", key: "speak#1", name: "page.read", data: { key: "mine", seq: 99, type: "node.finished" } },
    { node: "speak", key: "speak#1", name: "ping", data: null },
  ]);
  const resumed = await world.run(["resume", run.events()[0]?.runId ?? "", "--answer", "Ready?=yes"]);
  expect(resumed).toMatchObject({ exitCode: 0, stdout: "yes\n" });
});

test("a node records tasks and reports with ctx.record, and gets an error for invalid ones", async () => {
  emitting("records", `ctx.record({ type: "task.updated", task: { id: "1", title: "One", status: "done" } });`);
  const run = await world.run(["run", "records", "--script", nothing]);

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain(`Node "speak" recorded a task.updated event whose "task" is missing or wrong.`);

  emitting("pretends", `ctx.record({ type: "run.finished", outcome: "completed" });`);
  const forged = await world.run(["run", "pretends", "--script", nothing]);

  expect(forged.exitCode).toBe(1);
  expect(forged.stderr).toContain(`Node "speak" recorded an event of type "run.finished", which nodes can't record.`);
});

test("a reserved name that nodes may record is refused by ctx.emit with the way to record it", async () => {
  emitting("reports", `ctx.emit("report.written", { report: {} });`);
  const run = await world.run(["run", "reports", "--script", nothing]);

  expect(run.stderr).toContain(`Report it with ctx.record({ type: "report.written", … }), or choose another name.`);
});
