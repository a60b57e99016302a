import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createNode,
  criteriaLoopNode,
  executeGraph,
  graph,
  MemorySaver,
  type NodeDefinition,
  taskLoopNode,
  type TaskLoopState,
  waitNode,
} from "atomic/workflows/graph";

interface LoopState extends TaskLoopState {
  seen: string[];
}

function taskFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), "atomic-loop-")), "tasks.json");
  const tasks = [
    { id: "1", name: "One", status: "pending" },
    { id: "2", name: "Two", status: "pending", dependencies: ["1"] },
    { id: "3", name: "Three", status: "pending", priority: 1 },
  ];
  writeFileSync(path, JSON.stringify({ version: "1.0", tasks }));
  return path;
}

const see = createNode<LoopState>({
  id: "see",
  execute: ({ state }) => {
    if (state.currentTask?.id === "1") throw new Error("broken");
    return { stateUpdate: { seen: [...state.seen, state.currentTask?.id ?? "?"] } };
  },
});

test("taskLoopNode runs its nodes for each ready task, and does not call a list with failed tasks complete", async () => {
  const path = taskFile();
  const loop = graph<LoopState>()
    .start(taskLoopNode<LoopState>({ tasksPath: path, taskNodes: see }))
    .compile();

  const state = await loop.execute({ seen: [] });

  expect(state.seen).toEqual(["3"]);
  expect(state.allTasksComplete).toBe(false);
  const written = JSON.parse(readFileSync(path, "utf8")) as { tasks: { id: string; status: string; error?: string }[] };
  expect(written.tasks.map(({ id, status }) => [id, status])).toEqual([
    ["1", "failing"],
    ["2", "pending"],
    ["3", "passing"],
  ]);
});

test("taskLoopNode resumes with the task that was running, and runs no finished one again", async () => {
  const path = taskFile();
  const ran: string[] = [];
  const work = createNode<LoopState>({
    id: "work",
    execute: ({ state }) => {
      ran.push(state.currentTask?.id ?? "?");
    },
  });
  const ask = waitNode<LoopState>({ id: "ask", prompt: (state) => `task ${state.currentTask?.id ?? "?"}?` });
  const compiled = graph<LoopState>()
    .start(taskLoopNode<LoopState>({ tasksPath: path, taskNodes: [work, ask] }))
    .compile();
  const store = new MemorySaver();

  const first = await executeGraph(compiled, {
    journal: { store, run: "r" },
    answers: { "task 3?": true },
    initialState: { seen: [] },
  });
  expect(first.questions.map(({ text }) => text)).toEqual(["task 1?"]);
  const second = await executeGraph(compiled, {
    journal: { store, run: "r", resume: true },
    answers: { "task 1?": true, "task 2?": true },
  });

  expect(second.status).toBe("completed");
  expect(second.state.allTasksComplete).toBe(true);
  expect(ran).toEqual(["3", "1", "2"]);
});

test("taskLoopNode stops at its limit and says so", async () => {
  const compiled = graph<LoopState>()
    .start(taskLoopNode<LoopState>({ tasksPath: taskFile(), taskNodes: see, maxIterations: 1 }))
    .compile();

  expect(await compiled.execute({ seen: [] })).toMatchObject({
    maxIterationsReached: true,
    allTasksComplete: false,
    iteration: 1,
  });
});

test("loops of tasks and criteria without their own limit pause at the run's, and continue when it is raised", async () => {
  const store = new MemorySaver();
  let iterations = 0;
  const count = createNode<LoopState>({ id: "count", execute: () => void iterations++ });
  const endless = (node: NodeDefinition<LoopState>) => graph<LoopState>().start(node).compile();
  const criteria = endless(criteriaLoopNode<LoopState>({ taskNodes: count }));
  const tasks = endless(taskLoopNode<LoopState>({ tasksPath: taskFile(), taskNodes: count, until: () => false }));
  const run = (resume: boolean, maxIterations: number) =>
    executeGraph(criteria, { journal: { store, run: "r", resume }, runtime: { maxIterations } });

  const first = await run(false, 3);
  expect(first).toMatchObject({ status: "paused", reason: "budget", error: { code: "STEP_LIMIT" } });
  expect(iterations).toBe(3);
  expect(await run(true, 5)).toMatchObject({ status: "paused", reason: "budget" });
  expect(iterations).toBe(5);
  const inTasks = await executeGraph(tasks, { runtime: { maxIterations: 2 }, initialState: { seen: [] } });
  expect(inTasks).toMatchObject({ status: "paused", reason: "budget" });
});

test("criteriaLoopNode ends when the last line is the signal, and not when it is somewhere in the text", async () => {
  const texts = ["COMPLETE soon", "it is\nCOMPLETE\nalmost", "done\nCOMPLETE\n"];
  const say = createNode<LoopState>({
    id: "say",
    execute: () => ({ stateUpdate: { outputs: { say: texts.shift() ?? "" } } }),
  });

  const state = await graph<LoopState>()
    .start(criteriaLoopNode<LoopState>({ taskNodes: say }))
    .compile()
    .execute({ seen: [] });

  expect(state).toMatchObject({ criteriaComplete: true, iteration: 3 });
});

test("taskLoopNode takes the task that its selector chooses, after the node that comes before each", async () => {
  const order: string[] = [];
  const note = (id: string): NodeDefinition<LoopState> =>
    createNode<LoopState>({ id, execute: ({ state }) => void order.push(`${id} ${state.currentTask?.id}`) });
  const loop = graph<LoopState>()
    .start(
      taskLoopNode<LoopState>({
        tasksPath: taskFile(),
        preIterationNode: note("before"),
        taskNodes: note("work"),
        // The last one first, whatever it waits for.
        taskSelector: (tasks) => tasks.findLast(({ status }) => status === "pending"),
      }),
    )
    .compile();

  const state = await loop.execute({ seen: [] });

  expect(order).toEqual(["3", "2", "1"].flatMap((id) => [`before ${id}`, `work ${id}`]));
  expect(state).toMatchObject({ allTasksComplete: true, shouldContinue: false });
});

test("taskLoopNode ends when its own condition holds, which sees the state and the tasks", async () => {
  const path = taskFile();
  const loop = graph<LoopState>()
    .start(
      taskLoopNode<LoopState>({
        tasksPath: path,
        taskNodes: see,
        until: ({ seen }, tasks) =>
          seen.includes("3") && tasks.some(({ id, status }) => id === "3" && status === "completed"),
      }),
    )
    .compile();

  expect((await loop.execute({ seen: [] })).seen).toEqual(["3"]);
  const { tasks } = JSON.parse(readFileSync(path, "utf8")) as { tasks: { status: string }[] };
  expect(tasks.map(({ status }) => status)).toEqual(["pending", "pending", "passing"]);
});

test("criteriaLoopNode takes a signal of one's own, and says when it reached its limit without one", async () => {
  const texts = ["COMPLETE", "SHIP IT", "never"];
  const say = createNode<LoopState>({
    id: "say",
    execute: () => ({ stateUpdate: { outputs: { say: texts.shift() ?? "" } } }),
  });
  const run = (maxIterations: number) =>
    graph<LoopState>()
      .start(criteriaLoopNode<LoopState>({ taskNodes: say, completionSignal: "SHIP IT", maxIterations }))
      .compile()
      .execute({ seen: [] });

  expect(await run(5)).toMatchObject({ criteriaComplete: true, iteration: 2 });
  expect(await run(1)).toMatchObject({ criteriaComplete: false, maxIterationsReached: true, iteration: 1 });
});
