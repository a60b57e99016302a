// A ralph run inside the measuring process, on the embedded agent: real journal on a real disk, no command line.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentClient } from "../../src/agents/port.ts";
import type { ScriptInput } from "../../src/agents/scripted/script-schema.ts";
import { scriptedAgent } from "../../src/testing/scripted-agent.ts";
import type { WorkflowOptionValue } from "../../src/workflows/definition.ts";
import { runWorkflow, type WorkflowExecutionResult } from "../../src/workflows/executor.ts";
import { defaultRunLimits } from "../../src/workflows/limits/run-limits.ts";
import { ralphDefinition } from "../../src/workflows/ralph/definition.ts";
import { SessionStore } from "../../src/workflows/sessions/session-store.ts";

/** What a turn of 1 ms does. */
export const shortTurn: ScriptInput["turns"][number] = {
  steps: [{ waitMs: 1 }, { say: "done" }, { usage: { inputTokens: 100, outputTokens: 10, costUsd: 0.001 } }],
};

export function makeClient(): AgentClient {
  return scriptedAgent([shortTurn], { env: { PATH: "/usr/bin:/bin" } });
}

export interface RalphBenchRun {
  /** An empty folder. */
  readonly folder: string;
  readonly client: AgentClient;
  readonly prompt: string;
  readonly maxIterations: number;
  readonly options: Readonly<Record<string, WorkflowOptionValue>>;
}

export function runRalph(run: RalphBenchRun): Promise<WorkflowExecutionResult> {
  const cwd = join(run.folder, "project");
  mkdirSync(cwd, { recursive: true });
  const entity = () => ({ name: "", prompt: "" });
  const options = { workers: 8, "max-tries": 1, "max-reviews": 0, "max-stuck": 0, yolo: false, pr: false };
  return runWorkflow(
    ralphDefinition,
    {
      run: crypto.randomUUID(),
      resume: false,
      prompt: run.prompt,
      options: { ...options, ...run.options },
      cwd,
      isProjectTrusted: false,
      limits: { ...defaultRunLimits, maxIterations: run.maxIterations },
      questions: "suspend",
    },
    {
      store: new SessionStore({ dir: join(run.folder, "sessions") }),
      agents: { preferred: [run.client] },
      agent: (name) => ({ name, prompt: "" }),
      entities: { skill: entity, command: entity, agent: entity },
      workflows: () => null,
    },
  );
}

/** A list of tasks that depend on nothing, as a file. */
export function taskList(count: number): string {
  const tasks = Array.from({ length: count }, (_, i) => ({
    id: String(i + 1),
    name: `Task ${i + 1}`,
    status: "pending",
  }));
  return JSON.stringify({ version: "1.0", tasks });
}
