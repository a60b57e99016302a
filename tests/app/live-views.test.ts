// What views hold of a run's agents: through its handle, from elsewhere while it runs, and at any earlier moment.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type App, createApp } from "../../src/app/create-app.ts";
import { createParts } from "../../src/main/create-parts.ts";
import { agentTree } from "../../src/workflows/sessions/live-view.ts";
import type { SessionView } from "../../src/workflows/sessions/session-view.ts";
import { liveTurns } from "../../src/workflows/sessions/turn-views.ts";

setDefaultTimeout(60_000);

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-live-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const task = (id: string, title: string) => ({ id, title, status: "pending", verify: "true" });
const list = write(
  "tasks.json",
  JSON.stringify({ version: "1.0", tasks: [task("1", "Add a parser"), task("2", "Add a printer")] }),
);
const usage = { usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.25 } };
/** Both workers are at work until the file is there. */
const go = join(root, "go");
const wait = { bash: `until [ -e '${go}' ]; do sleep 0.05; done` };
const script = write(
  "script.json",
  JSON.stringify({
    version: 1,
    turns: [
      { agent: "worker", task: "1", steps: [usage, wait, { say: "done" }] },
      { agent: "worker", task: "2", steps: [{ subagent: { agent: "debugger", prompt: "Find it" } }, { say: "done" }] },
      { agent: "debugger", steps: [wait, { say: "found" }] },
      { steps: [{ say: "ok" }] },
    ],
  }),
);

function app(): App {
  const projectDir = join(root, "project");
  mkdirSync(projectDir, { recursive: true });
  const homeDir = join(root, "home");
  const folders = { projectDir, currentDir: projectDir, homeDir, atomicHome: join(homeDir, ".atomic") };
  return createApp({ ...createParts(), folders, environment: { HOME: homeDir, PATH: "/usr/bin:/bin" } });
}

/** Which tools every agent of every turn uses, by task. */
function toolsOf({ live }: SessionView): readonly string[] {
  return [...live.values()]
    .map((turn) => {
      const rows = agentTree(turn).map(({ agent, depth }) => `${depth} ${agent.tools.map(({ name }) => name).join()}`);
      return `${turn.task ?? ""}: ${rows.join(" / ")}`;
    })
    .toSorted();
}

const bothAtWork = ["1: 0 bash", "2: 0 subagent / 1 bash"];

test("views have the agents' tools live, watched and at an earlier event, what each turn, task and agent took, and the evidence", async () => {
  const { runs } = app();
  const handle = runs.start({
    workflow: "ralph",
    script,
    isTrusted: true,
    options: { "feature-list": list, "max-reviews": 0 },
  });
  for await (const { type } of handle.events) if (type === "agent.turn-started") break;
  const seen: SessionView[] = [];
  for await (const view of app().runs.watch(handle.id, { signal: new AbortController().signal })) {
    seen.push(view);
    const costs = liveTurns(view).map(({ used }) => used.costUsd);
    if (existsSync(go) || toolsOf(view).join() !== bothAtWork.join() || !costs.includes(0.25)) continue;
    expect(toolsOf(handle.view)).toEqual(bothAtWork);
    expect(toolsOf((await app().runs.page(handle.id)).view)).toEqual(bothAtWork);
    expect(new Set(liveTurns(view).map(({ worker }) => worker))).toEqual(new Set([1, 2]));
    expect(liveTurns(view).find((turn) => turn.task === "1")?.used).toEqual({ input: 10, output: 5, costUsd: 0.25 });
    expect(view.nodes.get("work")).toMatchObject({ state: "running", visits: 1 });
    expect(view.nodes.get("report")).toMatchObject({ state: "pending", visits: 0 });
    expect(view.graph?.nodes.map(({ id }) => id)).toEqual([...view.nodes.keys()]);
    expect([...view.visits.values()].filter(({ state }) => state === "running")).toHaveLength(1);
    writeFileSync(go, "");
  }
  expect(await handle.done).toMatchObject({ status: "completed" });
  const last = seen.at(-1);
  expect(last).toEqual(handle.view);
  expect(last?.live.size).toBe(0);
  expect(last?.spentByTask.get("1")).toMatchObject({ input: 10, output: 5, costUsd: 0.25, turns: 1 });
  expect([...(last?.spentByAgent.keys() ?? [])]).toContain("atomic:worker");
  expect(last?.evidence.get("1")).toMatchObject([{ command: "true", exitCode: 0 }]);

  // The first moment after both turns were on record and a tool was used: here, right before the first of them ended.
  let ended = 0;
  for await (const { type, seq } of runs.events(handle.id))
    if (ended === 0 && type === "agent.turn-finished") ended = seq;
  expect(toolsOf(await runs.at(handle.id, ended - 1))).toHaveLength(2);
  expect((await runs.at(handle.id, 1)).live.size).toBe(0);
});
