// A run with several agents: what they spend counts together, and what its record knows of them holds for the next
// process.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentClient } from "../agents/port.ts";
import type { ScriptInput } from "../agents/scripted/script-schema.ts";
import { agentNode } from "../nodes/agent.ts";
import { scriptedAgent } from "../testing/scripted-agent.ts";
import type { WorkflowDefinition } from "./definition.ts";
import { runWorkflow } from "./executor.ts";
import { graph } from "./graph/build/builder.ts";
import { SessionStore } from "./sessions/session-store.ts";
import { defaultRunLimits, type RunLimits } from "./limits/run-limits.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-run-agents-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const store = new SessionStore({ dir: join(root, "sessions") });

const definition: WorkflowDefinition = {
  name: "two",
  description: "",
  createWorkflow: () =>
    graph()
      .start(agentNode({ id: "first", prompt: "first" }))
      .then(agentNode({ id: "second", prompt: "second" })),
};

const spend = { usage: { inputTokens: 10, outputTokens: 10, costUsd: 0.6 } };

function agentOf(kind: string, turns: ScriptInput["turns"]): AgentClient {
  return { ...scriptedAgent(turns), kind, label: kind };
}

interface Call {
  readonly run?: string;
  readonly limits?: Partial<RunLimits>;
  readonly model?: string;
}

function execute(preferred: readonly [AgentClient, ...AgentClient[]], { run, limits, model }: Call = {}) {
  const entity = () => ({ name: "", prompt: "" });
  return runWorkflow(
    definition,
    {
      run: run ?? crypto.randomUUID(),
      resume: run !== undefined,
      prompt: "",
      options: {},
      cwd: root,
      model,
      isProjectTrusted: false,
      limits: { ...defaultRunLimits, ...limits },
      questions: "suspend",
    },
    {
      store,
      agents: { preferred },
      agent: (name) => ({ name, prompt: "" }),
      entities: { skill: entity, command: entity, agent: entity },
      workflows: () => null,
    },
  );
}

test("a cap on cost counts what all agents spend", async () => {
  const limit = { fail: { kind: "rate_limited", message: "limit", resetInMs: 3_600_000 } } as const;
  const claude = agentOf("claude", [{ steps: [spend, limit] }]);
  const opencode = agentOf("opencode", [{ steps: [spend, { say: "done" }] }]);
  const capped = await execute([claude, opencode], { limits: { maxCostUsd: 1 } });

  expect(capped).toMatchObject({ status: "paused", reason: "budget" });
  expect(capped.totals.costUsd).toBeCloseTo(1.2);

  // The first agent is out on record: a later process does not ask it.
  const unasked = agentOf("claude", []);
  const rest = await execute([unasked, opencode], { run: capped.run });
  expect(rest.status).toBe("completed");
  expect(rest.totals.costUsd).toBeCloseTo(2.4);
});

test("an outage without an end is forgotten by the next process: a user may have logged in", async () => {
  const claude = agentOf("claude", [{ steps: [{ fail: { kind: "auth", message: "log in" } }] }]);
  const opencode = agentOf("opencode", [
    { match: "first", steps: [{ say: "opencode did" }] },
    { match: "second", steps: [{ fail: { kind: "auth", message: "log in too" } }] },
  ]);
  const stopped = await execute([claude, opencode]);
  expect(stopped).toMatchObject({ status: "paused", reason: "needs-human" });

  const rest = await execute([agentOf("claude", [{ steps: [{ say: "claude did" }] }]), opencode], { run: stopped.run });
  expect(rest.state["outputs"]).toEqual({ first: "opencode did", second: "claude did" });
});

test("the model of the run is the first agent's; the next uses its own", async () => {
  const limit = { fail: { kind: "budget", message: "no credit" } } as const;
  const claude = agentOf("claude", [{ steps: [limit] }]);
  const opencode = agentOf("opencode", [{ steps: [{ say: "done" }] }]);
  const { run, status } = await execute([claude, opencode], { model: "opus" });
  expect(status).toBe("completed");
  const asked = [];
  for await (const event of store.read(run)) if (event.type === "agent.turn-started") asked.push(event["modelAsked"]);
  expect(asked).toEqual(["opus", null, null]);
});
