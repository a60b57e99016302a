// The first node: finds out what is to be done, and keeps the user's uncommitted work safe before anybody touches it.

import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { AtomicError } from "../../lib/errors.ts";
import { readTaskFile, type TaskList } from "../../tasks/task-file.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import type { ExecutionContext, NodeResult } from "../graph/node.ts";
import { keepWork } from "./keep-work.ts";
import type { RalphState } from "./state.ts";
import { asJson } from "./worker-pool.ts";

export async function prepare(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  const { state } = context;
  const { cwd } = state;
  const prompt = readSpec(state.prompt, cwd);
  const tasks = state.mode === "tasks" ? loadTasks(state) : [];
  for (const task of tasks) context.emit("task.updated", { task: asJson(task) });
  const kept = await keepWork(cwd, state.executionId);
  context.emit("work.kept", { ref: kept.ref ?? null, files: kept.files, note: kept.note ?? null });
  return {
    stateUpdate: {
      prompt,
      tasks: [...tasks],
      kept: { ref: kept.ref ?? null, files: kept.files, note: kept.note ?? null },
    },
  };
}

const largestSpec = 1024 * 1024;

/** A prompt that names a file means what is in the file. */
function readSpec(prompt: string, cwd: string): string {
  if (prompt.length > 1000 || prompt.includes("\n")) return prompt;
  const path = isAbsolute(prompt) ? prompt : resolve(cwd, prompt);
  const stat = prompt.trim() === "" ? undefined : statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return prompt;
  if (stat.size > largestSpec) {
    throw new AtomicError(
      "USAGE",
      `${path} is ${stat.size} bytes, too long for a spec. Give a shorter one, or a prompt that names the file.`,
    );
  }
  return readFileSync(path, "utf8");
}

const usualPlaces = ["research/tasks.json", "research/feature-list.json"];

/** The session keeps its own copy: the file stays as it is. */
function loadTasks(state: Readonly<RalphState>): readonly WorkflowTask[] {
  const given = state.featureList;
  const places = given === null ? usualPlaces : [given];
  const path = places
    .map((place) => (isAbsolute(place) ? place : join(state.cwd, place)))
    .find((place) => existsSync(place));
  const list: TaskList | undefined = path === undefined ? undefined : readTaskFile(path);
  if (list === undefined) {
    throw new AtomicError(
      "TASKS_MISSING",
      given === null
        ? `There is no task list: neither ${usualPlaces.join(" nor ")} is in ${state.cwd}. Make one with /create-feature-list, or say what to do: atomic ralph "…".`
        : `There is no task list at ${given}. Check the path, or leave --feature-list out.`,
    );
  }
  if (list.tasks.length === 0)
    throw new AtomicError(
      "TASKS_MISSING",
      `The task list ${path ?? ""} is empty. Add tasks to it, or say what to do: atomic ralph "…".`,
    );
  // What was being done when somebody stopped, and what had failed, is to be done.
  return list.tasks.map((task) => (task.status === "completed" ? task : withoutError({ ...task, status: "pending" })));
}

function withoutError(task: WorkflowTask): WorkflowTask {
  const { error: _, ...rest } = task;
  return rest;
}
