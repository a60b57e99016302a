// What stands beside a run's journal is missing, torn, newer or forged, the journal has events of a later version, a tool
// printed ten megabytes, or the run is removed while it is followed: the run is unharmed, and what is shown is right.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunSummary } from "../../src/app/run-summary.ts";
import { restingState } from "../../src/app/summary-cache.ts";
import { version } from "../../src/lib/version.ts";
import { SessionStore } from "../../src/workflows/sessions/session-store.ts";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
world.workflow(
  "asks",
  `import { agentNode, askUserNode, graph } from "atomic/workflows";
export const name = "asks";
export const description = "Works, then asks";
export const prompt = "required";
export default () => graph()
  .start(agentNode({ id: "work", prompt: "Do it" }))
  .then(askUserNode({ id: "sure", question: "Sure?", options: ["yes", "no"] }));
`,
);
const script = world.script("work", [{ steps: [{ bash: "echo worked" }, { say: "I did it." }] }]);

const stores: SessionStore[] = [];
afterAll(async () => {
  for (const store of stores) await store.close();
});

async function pausedRun(): Promise<string> {
  const run = await world.run(["run", "asks", "x", "--script", script, "--json"]);
  expect(run.exitCode).toBe(4);
  return run.events()[0]?.runId ?? "";
}

const beside = ["transcript.jsonl", "view.json", "summary.json", "session.json", "progress.txt"] as const;
const later = `${JSON.stringify({ v: 9, at: 1, type: "dreamed", of: "sheep" })}\n`;
const damages: readonly (readonly [string, (path: string) => void])[] = [
  ["missing", (path) => rmSync(path, { force: true })],
  ["empty", (path) => writeFileSync(path, "")],
  ["torn", (path) => writeFileSync(path, existsSync(path) ? readFileSync(path).subarray(0, -7) : '{"v":1')],
  ["of a newer version", (path) => writeFileSync(path, later)],
  [
    "forged",
    (path) => writeFileSync(path, '{"id":"other","status":"completed","tasks":7,"view":{"status":"failed"}}\n'),
  ],
  ["no text", (path) => writeFileSync(path, Buffer.from([0xff, 0x00, 0xfe, 0x0a]))],
];

for (const [how, damage] of damages)
  test(`a run whose transcript, index and projections are ${how} is listed, shown and resumed as before`, async () => {
    const id = await pausedRun();
    // So that there is an index to be damaged.
    await world.run(["sessions"]);
    const folder = join(world.sessions, id);
    for (const file of beside) damage(join(folder, file));

    const rows = JSON.parse((await world.run(["sessions", "--json"])).stdout) as { id: string; status: string }[];
    expect(rows.find((row) => row.id === id)).toMatchObject({ status: "paused", workflow: "asks", prompt: "x" });
    const shown = await world.run(["sessions", "show", id]);
    expect(shown.stdout).toContain("Status:  paused (needs-human)");
    expect((await world.run(["sessions", "transcript", id])).exitCode).toBe(0);
    const resumed = await world.run(["resume", id, "--answer", "sure=yes", "--json"]);
    expect(resumed).toMatchObject({ exitCode: 0 });
    expect(resumed.events().filter(({ type, node }) => type === "node.started" && node === "work")).toEqual([]);
    expect(JSON.parse(readFileSync(join(folder, "session.json"), "utf8"))).toMatchObject({ status: "completed" });
  });

/** What is kept of a run, with a prompt that shows whether it was believed. */
function keptSummary(id: string): RunSummary {
  const totals = { turns: 1, inputTokens: 0, outputTokens: 0, costUsd: 0, turnsWithoutCost: 1, activeMs: 5 };
  const texts = { workflow: "asks", agent: "scripted", prompt: "kept", cwd: world.project, sessionDir: world.sessions };
  const tasks = { completed: 0, total: 0 };
  return { id, status: "paused", createdAt: 1, updatedAt: 2, tasks, totals, questions: [], ...texts };
}

test.each([
  ["everything", (kept: RunSummary) => kept, "kept"],
  ["only an id", ({ id }: RunSummary) => ({ id }), "x"],
  ["a status that does not exist", (kept: RunSummary) => ({ ...kept, status: "won" }), "x"],
  ["no totals", (kept: RunSummary) => ({ ...kept, totals: null }), "x"],
  ["a time that is none", (kept: RunSummary) => ({ ...kept, createdAt: 1e300 }), "x"],
  ["questions without texts", (kept: RunSummary) => ({ ...kept, questions: [{}] }), "x"],
])("an index of this version that holds %s is believed only if it is whole", async (_, forge, prompt) => {
  const id = await pausedRun();
  const folder = join(world.sessions, id);
  const journal = restingState(join(folder, "journal.sqlite"));
  const kept = { version, journal, at: Date.now(), summary: forge(keptSummary(id)) };
  writeFileSync(join(folder, "summary.json"), JSON.stringify(kept));

  const listed = await world.run(["sessions", "--json"]);
  expect([listed.exitCode, listed.stderr]).toEqual([0, ""]);
  const rows = JSON.parse(listed.stdout) as { id: string }[];
  expect(rows.find((row) => row.id === id)).toMatchObject({ prompt, status: "paused" });
});

test("events of a type from a newer version are shown as they are stored, and the run is resumed", async () => {
  const id = await pausedRun();
  const store = new SessionStore({ dir: world.sessions });
  stores.push(store);
  const handle = await store.open(id, { mode: "resume" });
  await handle.append([{ type: "agent.dreamed", of: "sheep\u001b[31m", count: 3 }]);
  await handle.close();

  const logs = await world.run(["sessions", "logs", id]);
  expect(logs.stdout).toMatch(/agent\.dreamed {2}of=sheep.* count=3/);
  expect(logs.stdout).not.toContain("\u001b[31m");
  const json = (await world.run(["sessions", "logs", id, "--json"])).stdout.trim().split("\n").at(-1) ?? "";
  expect(JSON.parse(json)).toMatchObject({ type: "agent.dreamed", count: 3 });
  expect((await world.run(["sessions", "show", id])).stdout).toContain("Status:  paused (needs-human)");
  const resumed = await world.run(["resume", id, "--answer", "sure=yes", "--json"]);
  expect(resumed).toMatchObject({ exitCode: 0 });
  expect(resumed.events().at(-1)).toMatchObject({ outcome: "completed" });
});

test("ten megabytes in one tool result leave a short transcript and a whole run", async () => {
  const loud = world.script("loud", [
    { steps: [{ bash: "head -c 10485760 /dev/zero | tr '\\0' x; echo; echo the-end" }, { say: "It was loud." }] },
  ]);
  const run = await world.run(["run", "asks", "x", "--script", loud, "--answer", "sure=yes", "--json"]);
  expect(run.exitCode).toBe(0);
  const id = run.events()[0]?.runId ?? "";
  const folder = join(world.sessions, id);

  const shown = await world.run(["sessions", "transcript", id]);
  expect(shown.stdout).toContain("It was loud.");
  expect(shown.stdout).toMatch(/\(1048\d{4} characters in all\)/);
  for (const name of readdirSync(folder).filter((each) => statSync(join(folder, each)).isFile()))
    expect([name, statSync(join(folder, name)).size < 1024 * 1024]).toEqual([name, true]);
});

test("a follower of a run that is killed and removed reports it and ends", async () => {
  const hang = world.script("hang", [{ steps: [{ say: "I begin." }, { hang: true }] }]);
  const run = world.start(["run", "asks", "x", "--script", hang, "--json"]);
  const line = await run.seen("agent.turn-started");
  const id = (JSON.parse(line.split("\n")[0] ?? "{}") as { runId: string }).runId;
  const log = world.start(["sessions", "logs", id, "--follow"]);
  const transcript = world.start(["sessions", "transcript", id, "--follow"]);
  await log.seen("agent.turn-started");
  await transcript.seen("Do it");
  run.signal("SIGKILL");
  await run.ended;
  expect((await world.run(["sessions", "rm", id])).exitCode).toBe(0);

  const [logged, read] = await Promise.all([log.ended, transcript.ended]);
  for (const { exitCode, stderr } of [logged, read]) {
    expect(stderr).not.toMatch(/ at .*\.ts:\d+/);
    expect([0, 1]).toContain(exitCode ?? -1);
    if (exitCode === 1) expect(stderr).toContain("RUN_NOT_FOUND");
  }
});

test("a run whose folder is removed while it works stops and says what happened", async () => {
  const hang = world.script("hang2", [
    { steps: [{ say: "I begin." }, { bash: "until [ -e removed ]; do sleep 0.05; done" }, { say: "done" }] },
  ]);
  const run = world.start(["run", "asks", "x", "--script", hang, "--json"]);
  const line = await run.seen("agent.turn-started");
  const id = (JSON.parse(line.split("\n")[0] ?? "{}") as { runId: string }).runId;
  const log = world.start(["sessions", "logs", id, "--follow"]);
  await log.seen("agent.turn-started");
  rmSync(join(world.sessions, id), { recursive: true, force: true });
  world.write("project/removed", "");

  const [ended, logged] = await Promise.all([run.ended, log.ended]);
  expect(ended.exitCode).not.toBe(0);
  expect(ended.stderr).toMatch(/[A-Z]+_[A-Z_]+/);
  for (const { stderr } of [ended, logged]) expect(stderr).not.toMatch(/ at .*\.ts:\d+/);
});
