// An agent's own todo list never changes the workflow's tasks. The list is the program's own, written by the model with
// the program's own tool, in the first task of three and in the last, and never says how things are (`ownList`).

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolFinished, ToolStarted } from "../../src/agents/events.ts";
import { parseRecording } from "../../src/agents/replay/recording-format.ts";
import type { Json } from "../../src/lib/json.ts";
import { ownList, signs, titles } from "./ralph-scenarios.ts";
import { startedId, type FeatureTasks, type RalphCase, type RalphWorld } from "./ralph-world.ts";

const tasks = { listed: [], explain: ["listed"], relisted: ["explain"] } as const satisfies FeatureTasks;

/** Claude Code has no list for its newest models unless this is set. The others ignore it. */
const env = { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" };

/** The calls of the program's todo tools in a recording: what each is taken for, and how it ended. */
function todoCalls(world: RalphWorld, recording: string): readonly string[] {
  const names = new Set(world.words.todo(ownList).map(({ name }) => name));
  const events = parseRecording(readFileSync(recording, "utf8"), recording)
    .turns.flatMap((turn) => turn.events)
    .map(([, event]) => event);
  const ends = new Map(
    events
      .filter((event): event is ToolFinished => event.type === "tool.finished")
      .map(({ toolCallId, outcome }) => [toolCallId, outcome]),
  );
  return events
    .filter((event): event is ToolStarted => event.type === "tool.started" && names.has(event.name))
    .map(({ kind, toolCallId }) => `${kind} ${ends.get(toolCallId)}`);
}

function bothTimes(world: RalphWorld, call: string): readonly string[] {
  const calls = world.words.todo(ownList);
  return [...calls, ...calls].map(() => call);
}

/** Neither a status nor a task is the list's; what it calls done was done after all. */
async function checkTasks(world: RalphWorld, run: string, project: string): Promise<void> {
  const updates = (await world.events(run))
    .filter(({ type }) => type === "task.updated")
    .map(({ task }) => task as { [key: string]: Json })
    .map(({ id, title, status }) => [id, title, status]);
  // Ralph also says beforehand what there is to do.
  const begun = updates.findIndex(([, , status]) => status !== "pending");
  assert.deepEqual(
    updates.slice(begun),
    inOrder.flatMap((id) => ["in_progress", "completed"].map((status) => [id, titles[id], status])),
  );
  assert.deepEqual(tasksIn(join(world.sessions, run, "tasks.json")), allPassing);
  assert.ok(existsSync(join(project, signs.readme)), "the task that the list calls done was worked on");
}

const inOrder = ["listed", "explain", "relisted"] as const;
const allPassing = inOrder.map((id) => [id, titles[id], "passing"]);

function tasksIn(file: string): readonly (readonly string[])[] {
  const list = JSON.parse(readFileSync(file, "utf8")) as { tasks: { id: string; name: string; status: string }[] };
  return list.tasks.map(({ id, name, status }) => [id, name, status]);
}

const inWorkflow: RalphCase = {
  name: "an agent's own todo list is a tool of the kind todo, and changes no task of the workflow",
  async run(world) {
    const project = world.newFeatures("todo", tasks);
    const recording = join(world.root, "todo.jsonl");
    world.workflow("work-off", workOff);
    const words = ["run", "work-off", "all of it", "-a", world.program, "--record", recording];
    const run = await world.start(words, { cwd: project, env }).ended;

    assert.equal(run.exitCode, 0, run.stderr);
    assert.deepEqual(todoCalls(world, recording), bothTimes(world, "todo ok"));
    await checkTasks(world, startedId(run.stderr, "Work-off"), project);
    assert.deepEqual(tasksIn(join(project, "research/feature-list.json")), allPassing);
  },
};

/** Its agent has all tools of the program. */
const workOff = `import { agentNode, graph, taskLoopNode } from "atomic/workflows";
export const name = "work-off";
export const description = "Works the feature list off";
export default () => graph().start(
  taskLoopNode({
    tasksPath: "research/feature-list.json",
    taskNodes: [
      agentNode({
        id: "work",
        prompt: ({ currentTask: { title, description } }) => \`This task and no other: \${title}\\n\${description}\`,
      }),
    ],
  }),
);
`;

const inRalph: RalphCase = {
  name: "a worker of ralph is offered no todo list, and asking for one changes no task",
  async run(world) {
    const project = world.newFeatures("todo-ralph", tasks);
    const recording = join(world.root, "todo-ralph.jsonl");
    const run = await world.ralph(project, ["--max-reviews", "0", "--record", recording], { env }).ended;

    assert.equal(run.exitCode, 0, run.stderr);
    assert.deepEqual(todoCalls(world, recording), bothTimes(world, "todo failed"));
    await checkTasks(world, startedId(run.stderr), project);
  },
};

export const todoCases: readonly RalphCase[] = [inWorkflow, inRalph];
