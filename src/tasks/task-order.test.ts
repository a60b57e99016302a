import { describe, expect, test } from "bun:test";
import {
  areAllCompleted,
  countTasks,
  findCircle,
  findTaskFaults,
  nextTask,
  readyTasks,
  withBlocked,
} from "./task-order.ts";
import type { WorkflowTask, WorkflowTaskStatus } from "./workflow-task.ts";

/** `"b:pending<a"` is a pending task b that waits for a. */
function tasks(...lines: string[]): WorkflowTask[] {
  return lines.map((line) => {
    const [head = "", waits] = line.split("<");
    const [id = "", status = "pending", priority] = head.split(":");
    return {
      id,
      title: id,
      status: status as WorkflowTaskStatus,
      ...(priority === undefined ? {} : { priority: Number(priority) }),
      ...(waits === undefined ? {} : { blockedBy: waits.split(",") }),
    };
  });
}

const ready: [what: string, list: WorkflowTask[], ids: string][] = [
  ["all without dependencies", tasks("a", "b"), "a b"],
  ["none that waits", tasks("a", "b:pending<a"), "a"],
  ["those whose dependencies are completed", tasks("a:completed", "b:pending<a", "c:pending<a,b"), "b"],
  ["none that waits for a failed one", tasks("a:failed", "b:pending<a"), ""],
  ["none that runs or is done", tasks("a:in_progress", "b:completed", "c:failed"), ""],
  [
    "the lowest priority number first, then those without",
    tasks("a", "b:pending:2", "c:pending:1", "d:pending:1"),
    "c d b a",
  ],
  ["a task that was called blocked and no longer is", tasks("a:completed", "b:blocked<a"), "b"],
];

describe("readyTasks gives", () => {
  for (const [what, list, ids] of ready) {
    test(what, () => {
      expect(
        readyTasks(list)
          .map((task) => task.id)
          .join(" "),
      ).toBe(ids);
      expect(nextTask(list)?.id).toBe(ids.split(" ")[0] || (undefined as never));
    });
  }
});

test("withBlocked marks what waits for a failed task, at any distance, and nothing else", () => {
  const list = tasks("a:failed", "b:pending<a", "c:pending<b", "d", "e:blocked<d", "f:completed<a");
  expect(withBlocked(list).map((task) => task.status)).toEqual([
    "failed",
    "blocked",
    "blocked",
    "pending",
    "pending",
    "completed",
  ]);
});

test("countTasks and areAllCompleted don't take failed tasks for done", () => {
  const list = tasks("a:completed", "b:failed", "c:pending<b", "d:in_progress", "e");
  expect(countTasks(list)).toEqual({ total: 5, completed: 1, failed: 1, blocked: 1, open: 2 });
  expect(areAllCompleted(tasks("a:completed", "b:failed"))).toBe(false);
  expect(areAllCompleted(tasks("a:completed"))).toBe(true);
});

const faults: [what: string, list: WorkflowTask[], expected: readonly string[]][] = [
  ["nothing wrong", tasks("a", "b:pending<a", "c:pending<a,b"), []],
  ["an id used twice", tasks("a", "b", "a"), [`tasks[2].id: "a" is already the id of tasks[0]`]],
  ["a dependency on nothing", tasks("a:pending<x"), [`tasks[0].dependencies[0]: there is no task with the id "x"`]],
  ["a task that waits for itself", tasks("a:pending<a"), ["tasks: tasks wait for each other: a -> a"]],
  [
    "a circle",
    tasks("a", "b:pending<d", "c:pending<b", "d:pending<a,c"),
    ["tasks: tasks wait for each other: b -> d -> c -> b"],
  ],
  [
    "several",
    tasks("a:pending<x", "a:pending<y"),
    [`tasks[1].id: "a"`, "tasks[0].dependencies[0]", "tasks[1].dependencies[0]"],
  ],
];

describe("findTaskFaults finds", () => {
  for (const [what, list, expected] of faults) {
    test(what, () => {
      const found = findTaskFaults(list).map((fault) => `${fault.path}: ${fault.problem}`);
      expect(found).toHaveLength(expected.length);
      for (const [i, text] of expected.entries()) expect(found[i]).toStartWith(text);
    });
  }
});

test("findCircle needs no stack for a chain of 100,000 tasks", () => {
  const chain = Array.from({ length: 100_000 }, (_, i) => `t${i}:pending<t${i + 1}`);
  const list = tasks(...chain, "t100000");
  expect(findCircle(list)).toBeUndefined();
  expect(findCircle(tasks(...chain, "t100000:pending<t0"))).toHaveLength(100_002);
});
