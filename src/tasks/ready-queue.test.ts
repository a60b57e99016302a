import { expect, test } from "bun:test";
import { ReadyQueue } from "./ready-queue.ts";
import { readyTasks } from "./task-order.ts";
import type { WorkflowTask } from "./workflow-task.ts";

const task = (id: string, more: Partial<WorkflowTask> = {}): WorkflowTask => ({
  id,
  title: id,
  status: "pending",
  ...more,
});

function takeAll(queue: ReadyQueue): string[] {
  const ids: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) ids.push(next.id);
  return ids;
}

test("ReadyQueue gives the most urgent first, and equals in the order of the list", () => {
  const queue = new ReadyQueue([task("a"), task("b", { priority: 2 }), task("c", { priority: 1 }), task("d")]);

  expect(takeAll(queue)).toEqual(["c", "b", "a", "d"]);
});

test("ReadyQueue holds a task back until all it depends on is completed", () => {
  const queue = new ReadyQueue([
    task("done", { status: "completed" }),
    task("failed", { status: "failed" }),
    task("a", { blockedBy: ["done"] }),
    task("b", { blockedBy: ["a", "a", "done"], priority: 1 }),
    task("c", { blockedBy: ["a", "b"] }),
    task("never", { blockedBy: ["failed"] }),
  ]);

  expect(takeAll(queue)).toEqual(["a"]);
  queue.complete("a");
  expect(takeAll(queue)).toEqual(["b"]);
  queue.complete("b");
  expect(takeAll(queue)).toEqual(["c"]);
});

test("ReadyQueue puts a task that becomes ready before less urgent ones that are ready already", () => {
  const queue = new ReadyQueue([task("a"), task("b"), task("c", { blockedBy: ["a"], priority: 0 }), task("d")]);

  expect(queue.take()?.id).toBe("a");
  queue.complete("a");
  expect(takeAll(queue)).toEqual(["c", "b", "d"]);
});

test("ReadyQueue agrees with readyTasks over a whole list", () => {
  let tasks = Array.from({ length: 60 }, (_, i) =>
    task(String(i), {
      blockedBy: [i - 7, i - 11].filter((id) => id >= 0 && i % 3 !== 0).map(String),
      ...(i % 4 === 0 && { priority: i % 8 }),
    }),
  );
  const queue = new ReadyQueue(tasks);
  for (let count = 0; count < tasks.length; count++) {
    const next = queue.take();
    expect(next?.id).toBe(readyTasks(tasks)[0]?.id as string);
    tasks = tasks.map((each) => (each.id === next?.id ? { ...each, status: "completed" } : each));
    queue.complete(next?.id ?? "");
  }
  expect(queue.take()).toBeUndefined();
});
