// What starting a run looks at of the other runs: those that a process works on, or worked on when it was killed.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../lib/clock.ts";
import { currentProcess } from "../lib/process-identity.ts";
import { scriptedAgent } from "../testing/scripted-agent.ts";
import { createNode } from "../workflows/graph/nodes/create-node.ts";
import { graph } from "../workflows/graph/build/builder.ts";
import type { WorkflowDefinition } from "../workflows/definition.ts";
import { defaultRunLimits } from "../workflows/limits/run-limits.ts";
import { SessionStore } from "../workflows/sessions/session-store.ts";
import type { RunProject } from "./run-project.ts";
import { createRuns } from "./runs.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-start-beside-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Counts what is looked at. */
class WatchedStore extends SessionStore {
  readonly seen = new Set<string>();
  override folder(run: string): ReturnType<SessionStore["folder"]> {
    this.seen.add(run);
    return super.folder(run);
  }
}

const definition: WorkflowDefinition = {
  name: "tiny",
  description: "Does nothing",
  createWorkflow: () => graph().start(createNode({ id: "only", execute: () => ({}) })),
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

let store = new WatchedStore({ dir: root });
let reaped: string[] = [];
let foreign: string | undefined;
beforeEach(() => {
  store = new WatchedStore({ dir: mkdtempSync(join(root, "sessions-")) });
  reaped = [];
  foreign = undefined;
});

async function start(): Promise<string> {
  const runs = createRuns({
    store,
    clock: systemClock,
    newId: () => crypto.randomUUID(),
    redact: undefined,
    createStreamRedactor: undefined,
    makeAgent: async () => scriptedAgent([]),
    reap: async (folder) => void reaped.push(folder),
    isOwn: (run) => run !== foreign,
  });
  await runs.live({ cwd: root });
  const agent = { kind: "scripted", programs: {} };
  const terms = { agent, limits: defaultRunLimits, questions: "suspend" } as const;
  return (await runs.start({ ...terms, project, definition, prompt: "x", options: {} })).run;
}

/** What a killed process leaves: the file that says it worked on the run. */
function leaveMark(run: string): string {
  const name = `${run}.${crypto.randomUUID()}`;
  mkdirSync(join(store.dir, ".working"), { recursive: true });
  writeFileSync(join(store.dir, ".working", name), JSON.stringify({ ...currentProcess(), started: "1" }));
  return name;
}

const marks = (): string[] => readdirSync(join(store.dir, ".working"));

test("a start looks at no run that has ended, however many there are", async () => {
  for (let i = 0; i < 20; i++) {
    const handle = await new SessionStore({ dir: store.dir }).open(crypto.randomUUID(), { mode: "create" });
    await handle.append([{ type: "run.started" }]);
    await handle.close();
  }
  // Runs of this very process are live marks; those of ended processes have none.
  for (const name of marks()) rmSync(join(store.dir, ".working", name));
  // The first start in a home of an earlier version looks at all of them, once.
  await start();
  expect(reaped).toHaveLength(21);

  reaped = [];
  store = new WatchedStore({ dir: store.dir });
  const run = await start();
  expect(reaped).toEqual([store.folder(run).processes]);
  const others = store.localRuns().filter((id) => id !== run);
  // The first start's run is still marked: its process lives.
  expect(others.filter((id) => store.seen.has(id)).length).toBeLessThanOrEqual(1);
});

test("a start looks after what a killed process left, and forgets it", async () => {
  await start();
  const killed = crypto.randomUUID();
  const mark = leaveMark(killed);
  reaped = [];
  const run = await start();
  expect(reaped).toEqual([store.folder(run).processes, join(store.dir, killed, "processes")]);
  expect(marks()).not.toContain(mark);
});

test("a mark of a run that is not the user's own ends nothing and stays", async () => {
  await start();
  foreign = crypto.randomUUID();
  const mark = leaveMark(foreign);
  reaped = [];
  await start();
  expect(reaped.filter((folder) => folder.includes(foreign ?? ""))).toEqual([]);
  expect(marks()).toContain(mark);
});

test("files that are not marks are skipped", async () => {
  await start();
  const torn = crypto.randomUUID();
  writeFileSync(join(store.dir, ".working", `${torn}.${crypto.randomUUID()}`), "{");
  writeFileSync(join(store.dir, ".working", "../../nonsense".replaceAll("/", "")), "");
  mkdirSync(join(store.dir, ".working", `${crypto.randomUUID()}.${crypto.randomUUID()}`));
  await start();
  expect(marks().filter((name) => name.startsWith(torn))).toEqual([]);
});
