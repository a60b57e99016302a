// A place to run ralph in: a git repository and a sessions folder, both temporary, and the scripted agent.

import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Json, StoredEvent } from "atomic/workflows/graph";
import type { AgentTool } from "../../src/agents/agent-tool.ts";
import type { AgentClient } from "../../src/agents/port.ts";
import type { ScriptInput } from "../../src/agents/scripted/script-schema.ts";
import { scriptedAgent } from "../../src/testing/scripted-agent.ts";
import type { WorkflowOptionValue } from "../../src/workflows/definition.ts";
import { runWorkflow, type WorkflowExecutionResult } from "../../src/workflows/executor.ts";
import { defaultRunLimits, type RunLimits } from "../../src/workflows/limits/run-limits.ts";
import { ralphDefinition } from "../../src/workflows/ralph/definition.ts";
import { SessionStore } from "../../src/workflows/sessions/session-store.ts";

const path = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`;

export interface RalphPlace {
  readonly cwd: string;
  readonly home: string;
  readonly store: SessionStore;
  readonly events: StoredEvent[];
}

export function createPlace(options: { readonly git?: boolean } = {}): RalphPlace {
  const home = mkdtempSync(join(tmpdir(), "atomic-ralph-home-"));
  const cwd = mkdtempSync(join(tmpdir(), "atomic-ralph-"));
  const place = { cwd, home, store: new SessionStore({ dir: join(home, "sessions") }), events: [] };
  if (options.git !== false) git(place, "init", "-q");
  // Checks run in the environment of this process, as they do in the user's.
  process.env["PATH"] = path;
  return place;
}

export function git(place: RalphPlace, ...args: string[]): string {
  const env = { PATH: path, HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" };
  const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  const done = Bun.spawnSync(["git", ...author, ...args], { cwd: place.cwd, env });
  if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr.toString()}`);
  return done.stdout.toString();
}

export interface RalphCall {
  readonly prompt?: string;
  readonly options?: Readonly<Record<string, WorkflowOptionValue>>;
  readonly limits?: Partial<RunLimits>;
  readonly resume?: string;
  readonly signal?: AbortSignal;
  readonly answers?: Readonly<Record<string, Json>>;
  /** Offered to the agents. */
  readonly tools?: readonly AgentTool[];
  /** What stands around the scripted agent. */
  readonly around?: (agent: AgentClient) => AgentClient;
  /** After each event, which the place has by then. */
  readonly onEvent?: () => void;
}

export function runRalph(
  place: RalphPlace,
  turns: ScriptInput["turns"],
  call: RalphCall = {},
): Promise<WorkflowExecutionResult> {
  const entity = () => ({ name: "", prompt: "" });
  const agent = scriptedAgent(turns, { env: { PATH: path, HOME: place.home } });
  return runWorkflow(
    ralphDefinition,
    {
      run: call.resume ?? randomUUID(),
      resume: call.resume !== undefined,
      prompt: call.prompt ?? "",
      options: {
        workers: 3,
        "max-tries": 3,
        "max-reviews": 0,
        "max-stuck": 2,
        yolo: false,
        pr: false,
        ...call.options,
      },
      cwd: place.cwd,
      isProjectTrusted: false,
      limits: { ...defaultRunLimits, ...call.limits },
      questions: "suspend",
      answers: call.answers,
      signal: call.signal,
      onEvent: (event) => {
        place.events.push(event);
        call.onEvent?.();
      },
    },
    {
      store: place.store,
      agents: { preferred: [call.around?.(agent) ?? agent] },
      agent: (name) => ({ name, prompt: "" }),
      entities: { skill: entity, command: entity, agent: entity },
      workflows: () => null,
      agentTools: call.tools,
    },
  );
}

export function eventsOf(place: RalphPlace, type: string): StoredEvent[] {
  return place.events.filter((event) => event.type === type);
}

export function plan(
  ...tasks: { id: string; blockedBy?: string[]; verify?: string; title?: string }[]
): ScriptInput["turns"][number] {
  const full = tasks.map((task) => ({ title: `Task ${task.id}`, ...task }));
  return { agent: "planner", steps: [{ say: JSON.stringify({ tasks: full }) }] };
}
