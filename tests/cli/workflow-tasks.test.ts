// Tasks of any workflow, kept in its state: announced, followed and shown like those of ralph.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs, type PrintedEvent } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const script = world.script("none", []);
world.workflow(
  "list",
  `import { askUserNode, createNode } from "atomic/workflows";
export const name = "list";
export const description = "Works on tasks of its own";
const set = (id, changes) => createNode({ id, execute: ({ state }) => ({
  stateUpdate: { tasks: state.tasks.map((task) => ({ ...task, ...changes[task.id] })) },
}) });
export const graphConfig = {
  startNode: "begin",
  nodes: [
    set("begin", { 1: { status: "in_progress" } }),
    askUserNode({ id: "ask", question: "Go on?" }),
    set("end", { 1: { status: "completed" }, 2: { status: "failed", error: "too hard" } }),
    set("same", {}),
  ],
  edges: [{ from: "begin", to: "ask" }, { from: "ask", to: "end" }, { from: "end", to: "same" }],
};
export function createState({ prompt }) {
  return { prompt, outputs: {}, tasks: [{ id: "1", title: "First", status: "pending" }, { id: "2", title: "Second", status: "pending" }] };
}
`,
);

function updates(events: readonly PrintedEvent[]): readonly string[] {
  return events
    .filter(({ type }) => type === "task.updated")
    .map(({ task }) => {
      const { id, status } = task as { id: string; status: string };
      return `${id} ${status}`;
    });
}

test("a workflow with tasks in its state has a task list, and reports each change of a task once", async () => {
  const first = await world.run(["run", "list", "go", "--script", script, "--json"]);
  const id = first.events()[0]?.runId ?? "";
  const second = await world.run(["resume", id, "--answer", "Go on?=yes", "--json"]);

  expect(first.events()[0]).toMatchObject({ type: "run.started", capabilities: { tasks: true } });
  expect(updates(first.events())).toEqual(["1 pending", "2 pending", "1 in_progress"]);
  expect(updates(second.events())).toEqual(["1 completed", "2 failed"]);
  const stored = (await world.run(["sessions", "logs", id, "--json"])).events();
  expect(updates(stored)).toHaveLength(5);
  expect((await world.run(["sessions", "show", id])).stdout).toContain("Second");
});
