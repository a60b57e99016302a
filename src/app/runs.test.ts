// Runs as a front end uses them, with real session folders and the embedded agent.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../lib/clock.ts";
import { scriptedAgent } from "../testing/scripted-agent.ts";
import { askUserNode } from "../workflows/graph/nodes/wait.ts";
import { graph } from "../workflows/graph/build/builder.ts";
import type { WorkflowDefinition } from "../workflows/definition.ts";
import { defaultRunLimits } from "../workflows/limits/run-limits.ts";
import { SessionStore } from "../workflows/sessions/session-store.ts";
import type { RunProject } from "./run-project.ts";
import { createRuns } from "./runs.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-runs-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const definition: WorkflowDefinition = {
  name: "ask",
  description: "Asks",
  createWorkflow: () => graph().start(askUserNode({ id: "colour", question: "Which colour?" })),
};
const unknown = (): never => {
  throw new Error("not used");
};
const project: RunProject = {
  cwd: root,
  isTrusted: false,
  usage: unknown,
  workflow: unknown,
  requireTrust: unknown,
  isTrustedNow: unknown,
  environment: async () => ({
    agent: unknown,
    entities: { skill: unknown, command: unknown, agent: unknown },
    workflows: () => null,
  }),
};
const store = new SessionStore({ dir: join(root, "sessions") });
const runs = createRuns({
  store,
  clock: systemClock,
  newId: () => crypto.randomUUID(),
  redact: undefined,
  createStreamRedactor: undefined,
  makeAgent: async () => scriptedAgent([{ steps: [{ say: "ok" }] }]),
  reap: async () => undefined,
});
const terms = {
  agent: { kind: "scripted", script: "/s.json", programs: {} },
  limits: defaultRunLimits,
  questions: "suspend",
} as const;
const start = () => runs.start({ ...terms, project, definition, prompt: "hello", options: { depth: 3 } });

test("a run remembers how it was started, and resumes with an answer that was left for it", async () => {
  const { run, status, reason } = await start();
  expect({ status, reason }).toEqual({ status: "paused", reason: "needs-human" });
  const facts = await runs.startFacts(run);
  expect(facts).toEqual({
    run,
    workflow: "ask",
    prompt: "hello",
    options: { depth: 3 },
    cwd: root,
    agentKind: "scripted",
    otherAgents: [],
    script: "/s.json",
    model: undefined,
    noQuestions: false,
    sandbox: "off",
    limits: { maxIterations: 100, maxWaitMinutes: 1440 },
  });
  expect(await runs.answer(run, { value: "red" })).toMatchObject({
    result: "kept",
    question: { text: "Which colour?" },
  });
  const resumed = await runs.resume({ ...terms, project, definition, facts });
  expect(resumed).toMatchObject({ status: "completed", state: { outputs: { colour: "red" } } });
});

test("a wish to pause that came before a resume does not stop it again", async () => {
  const { run } = await start();
  await store.request(run, { type: "pause" });
  const facts = await runs.startFacts(run);
  const resumed = await runs.resume({ ...terms, project, definition, facts, answers: { "Which colour?": "blue" } });

  expect(resumed.status).toBe("completed");
});

test("a run that was cancelled is over", async () => {
  const { run } = await start();
  await store.request(run, { type: "cancel" });
  const resumed = await runs.resume({ ...terms, project, definition, facts: await runs.startFacts(run) });

  expect(resumed.status).toBe("cancelled");
  expect((await runs.page(run)).status).toBe("cancelled");
});

test("a run recorded as running without an owner is interrupted", async () => {
  const run = crypto.randomUUID();
  const handle = await store.open(run, { mode: "create" });
  await handle.append([{ type: "run.started", workflow: "ask", resumed: false, prompt: "", options: {}, cwd: root }]);
  expect((await runs.page(run)).status).toBe("running");
  await handle.close();

  expect((await runs.page(run)).status).toBe("interrupted");
  expect((await runs.newest(root, "resumable"))?.view.id).toBe(run);
});

test("list shows the newest first, and says how many it left out", async () => {
  const { runs: all, left } = await runs.list(2);

  expect(all).toHaveLength(2);
  expect(left).toBeGreaterThan(0);
  expect(all[0]?.updatedAt).toBeGreaterThanOrEqual(all[1]?.updatedAt ?? 0);
});
