// How a run stops and resumes: signals, kills, other terminals, two resumes at once. Real processes throughout.

import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

/** Three nodes of one turn each; each turn leaves a line in a file, so that what was repeated shows. */
function makeWorld(): CliWorld & {
  readonly lines: () => readonly string[];
  readonly words: (script: string) => string[];
} {
  const world = createCliWorld();
  world.workflow(
    "steps",
    `import { createNode, graph } from "atomic/workflows";
export const name = "steps";
export const description = "Three turns";
export const prompt = "none";
const turn = (id) => createNode({ id, execute: async (ctx) => {
  const result = await ctx.runtime.agents.spawn({ task: id, context: ctx }, ctx.signal);
  if (!result.success) throw new Error(result.error);
  return { stateUpdate: { outputs: { [id]: result.output } } };
} });
export default () => graph().start(turn("one")).then(turn("two")).then(turn("three"));
`,
  );
  const log = join(world.project, "log.txt");
  return {
    ...world,
    lines: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []),
    words: (script) => ["run", "steps", "-a", "scripted", "--script", script],
  };
}

const turn = (name: string, ...steps: object[]) => ({
  match: `^${name}`,
  steps: [{ bash: `echo ${name} >> log.txt` }, ...steps, { say: name }],
});
const interruptedTurn = (name: string) => ({
  match: `^You were interrupted[\\s\\S]*${name}`,
  steps: [{ bash: `echo ${name} again >> log.txt` }, { say: name }],
});

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGQUIT", 131],
] as const;

for (const [name, code] of signals) {
  test(`${name} pauses the run, says how to resume and exits ${code}; resume repeats nothing that was done`, async () => {
    const world = makeWorld();
    const script = world.script("s", [turn("one"), turn("two", { hang: true }), turn("three"), interruptedTurn("two")]);
    const run = world.start([...world.words(script), "--json"]);
    await poll(() => (world.lines().includes("two") ? true : undefined));
    run.signal(name);
    const ended = await run.ended;
    const id = ended.events()[0]?.runId ?? "";

    expect(ended.exitCode).toBe(code);
    expect(ended.events().at(-1)).toMatchObject({ type: "run.paused", reason: "interrupted", signal: name });
    expect(ended.stderr).toContain(`Paused Steps session: ${id}`);
    expect(ended.stderr).toContain(`Resume with: atomic resume ${id}`);
    expect(JSON.parse(readFileSync(join(world.sessions, id, "session.json"), "utf8"))).toMatchObject({
      status: "paused",
    });

    const resumed = await world.run(["resume"]);
    expect(resumed.exitCode).toBe(0);
    expect(resumed.stderr).toContain(`Resumed Steps session: ${id}`);
    expect(world.lines()).toEqual(["one", "two", "two again", "three"]);
  });
}

test("a second Ctrl+C ends the program at once, its children with it, and loses nothing that was recorded", async () => {
  const world = makeWorld();
  // The command ignores the polite signals, so the first Ctrl+C has something to wait for.
  const stubborn = { bash: "trap '' TERM INT HUP; echo $$ > pid.txt; while :; do sleep 0.1; done" };
  const script = world.script("s", [turn("one"), { match: "^two", steps: [stubborn] }]);
  const run = world.start([...world.words(script), "--json"]);
  const pid = await poll(() =>
    existsSync(join(world.project, "pid.txt")) ? Number(world.read("project/pid.txt")) || undefined : undefined,
  );
  run.signal("SIGINT");
  await run.seen("Press Ctrl+C again to stop at once");
  run.signal("SIGINT");
  const ended = await run.ended;

  expect(ended.exitCode).toBe(130);
  expect(ended.stderr).toContain("Resume with: atomic resume");
  await poll(() => (isAlive(pid) ? undefined : true));
  const calm = world.script("s", [turn("one"), turn("two"), interruptedTurn("two"), turn("three")]);
  expect((await world.run(["resume", "--script", calm])).exitCode).toBe(0);
  expect(world.lines().filter((line) => line === "one")).toEqual(["one"]);
});

test("kill −9 leaves a run that shows as interrupted; its children are ended, and resume continues", async () => {
  const world = makeWorld();
  const script = world.script("s", [
    turn("one"),
    { match: "^two", times: 1, steps: [{ bash: "echo $$ > pid.txt; echo two >> log.txt; sleep 600" }] },
    interruptedTurn("two"),
    turn("three"),
  ]);
  const run = world.start(world.words(script));
  const pid = await poll(() =>
    existsSync(join(world.project, "pid.txt")) ? Number(world.read("project/pid.txt")) || undefined : undefined,
  );
  run.signal("SIGKILL");
  await run.ended;
  const id = world.onlyRun();

  const listed = await world.run(["sessions", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id, status: "interrupted", workflow: "steps" }]);

  const resumed = await world.run(["resume", id]);
  expect(resumed.exitCode).toBe(0);
  expect(isAlive(pid)).toBe(false);
  expect(world.lines()).toEqual(["one", "two", "two again", "three"]);
  expect((await world.run(["resume", id])).stderr).toContain("is already completed");
});

test("while a run is alive it shows as running; a second resume and rm are refused", async () => {
  const world = makeWorld();
  const script = world.script("s", [turn("one"), turn("two", { hang: true })]);
  const run = world.start(world.words(script));
  await poll(() => (world.lines().includes("two") ? true : undefined));
  const id = world.onlyRun();

  const page = await world.run(["sessions", "show"]);
  expect(page.stdout).toContain("Status:  running");
  const second = await world.run(["resume", id]);
  expect(second.exitCode).toBe(1);
  expect(second.stderr).toContain("RUN_OWNED");
  expect(second.stderr).toContain(`atomic pause ${id}`);
  const forced = await world.run(["resume", id, "--take-over"]);
  expect(forced.exitCode).toBe(1);
  const removed = await world.run(["sessions", "rm", id]);
  expect(removed.exitCode).toBe(1);
  expect(removed.stderr).toContain("RUN_OWNED");
  expect(existsSync(join(world.sessions, id))).toBe(true);
  run.signal("SIGTERM");
  await run.ended;
});

test("of two resumes at the same time one wins, and the other says so", async () => {
  const world = makeWorld();
  const script = world.script("s", [
    turn("one"),
    turn("two", { hang: true }),
    interruptedTurn("two"),
    turn("three", { waitMs: 1500 }),
  ]);
  const run = world.start(world.words(script));
  await poll(() => (world.lines().includes("two") ? true : undefined));
  run.signal("SIGKILL");
  await run.ended;
  const id = world.onlyRun();
  const both = await Promise.all([world.run(["resume", id]), world.run(["resume", id])]);

  expect(new Set(both.map(({ exitCode }) => exitCode))).toEqual(new Set([0, 1]));
  expect(both.find(({ exitCode }) => exitCode === 1)?.stderr).toContain("RUN_OWNED");
  expect(world.lines()).toEqual(["one", "two", "two again", "three"]);
});

test("a run whose owner can't be checked from here is taken over only when asked to", async () => {
  const world = makeWorld();
  const script = world.script("s", [turn("one"), turn("two", { hang: true }), interruptedTurn("two"), turn("three")]);
  const run = world.start(world.words(script));
  await poll(() => (world.lines().includes("two") ? true : undefined));
  run.signal("SIGKILL");
  await run.ended;
  const id = world.onlyRun();
  // As if it had run in a container that says nothing about itself but its name.
  const database = new Database(join(world.sessions, id, "journal.sqlite"));
  database.run(
    "UPDATE runs SET owner = json_set(owner, '$.process.host', 'elsewhere', '$.process.namespace', 'pid:[1]', '$.holdsLock', json('false'))",
  );
  database.close();
  expect(JSON.parse((await world.run(["sessions", "--json"])).stdout)).toMatchObject([{ id, status: "elsewhere" }]);
  expect((await world.run(["sessions", "show", id])).stdout).toContain("can't be seen from here");
  for (const words of [["resume", id], ["resume"]]) {
    const refused = await world.run(words);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("process");
    expect(refused.stderr).toContain("on host elsewhere");
    expect(refused.stderr).toContain(`atomic resume ${id} --take-over`);
  }
  expect((await world.run(["resume", "--take-over"])).exitCode).toBe(0);
  expect(world.lines()).toEqual(["one", "two", "two again", "three"]);
});

test("atomic pause stops a run of another terminal with exit 3; for one that is stopped it only says so", async () => {
  const world = makeWorld();
  const script = world.script("s", [turn("one"), turn("two", { hang: true }), interruptedTurn("two"), turn("three")]);
  const run = world.start([...world.words(script), "--json"]);
  await poll(() => (world.lines().includes("two") ? true : undefined));
  const id = world.onlyRun();
  const paused = await world.run(["pause", id]);
  const ended = await run.ended;

  expect(paused).toMatchObject({
    exitCode: 0,
    stdout: `Paused Steps session: ${id}\nResume with: atomic resume ${id}\n`,
  });
  expect(ended.exitCode).toBe(3);
  expect(ended.events().at(-1)).toMatchObject({ type: "run.paused", reason: "paused" });
  const again = await world.run(["pause", id]);
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toContain("is not running (paused)");
  expect((await world.run(["resume", id])).exitCode).toBe(0);
  const over = await world.run(["pause", id]);
  expect(over.exitCode).toBe(1);
  expect(over.stderr).toContain("is over (completed)");
});

test("a run that fails names what failed, on stderr, with exit 1", async () => {
  const world = makeWorld();
  const script = world.script("s", [
    turn("one"),
    { match: "^two", steps: [{ fail: { kind: "crashed", message: "it broke" } }] },
  ]);
  const run = await world.run([...world.words(script), "--json"]);
  const id = run.events()[0]?.runId ?? "";

  expect(run.exitCode).toBe(1);
  expect(run.events().at(-1)).toMatchObject({
    type: "run.finished",
    outcome: "failed",
    error: { message: expect.stringContaining("it broke") },
  });
  expect(run.stderr).toContain("it broke");
  expect(run.stderr).toContain(`atomic sessions show ${id}`);
  expect(run.stderr).toContain(`Retry what failed with: atomic resume ${id}`);
});

test("a login that fails waits for a user: exit 4", async () => {
  const world = makeWorld();
  const script = world.script("s", [{ steps: [{ fail: { kind: "auth", message: "please log in" } }] }]);
  const run = await world.run(world.words(script));

  expect(run.exitCode).toBe(4);
  expect(run.stderr).toContain("Please log in");
});

test("resume without an ID takes the newest resumable run of this folder", async () => {
  const world = makeWorld();
  const script = world.script("s", [turn("one", { hang: true }), interruptedTurn("one"), turn("two"), turn("three")]);
  const none = await world.run(["resume"]);
  expect(none.exitCode).toBe(1);
  expect(none.stderr).toContain("RUN_NOT_FOUND");
  const run = world.start(world.words(script));
  await poll(() => (world.lines().includes("one") ? true : undefined));
  run.signal("SIGINT");
  await run.ended;
  world.write("other/x", "");
  const other = join(world.root, "other");

  expect((await world.run(["resume"], { cwd: other })).stderr).toContain("RUN_NOT_FOUND");
  expect((await world.run(["resume", "--cwd", "../project"], { cwd: other })).exitCode).toBe(0);
});

test("a rate limit that is being waited for outlives the process: the next one waits for the rest of it", async () => {
  const world = makeWorld();
  const limited = { times: 1, steps: [{ fail: { kind: "rate_limited", resetInMs: 4000, message: "too many" } }] };
  const script = world.script("s", [limited, turn("one"), turn("two"), turn("three")]);
  const run = world.start([...world.words(script), "--json"]);
  await run.seen("limit.waiting");
  const page = await world.run(["sessions", "show"]);
  run.signal("SIGKILL");
  const events = (await run.ended).events();
  const until = events.find(({ type }) => type === "limit.waiting")?.["until"] as number;

  expect(page.stdout).toContain(`Waits:   for a rate limit, until ${new Date(until).toISOString()}`);
  const calm = world.script("s", [interruptedTurn("one"), turn("one"), turn("two"), turn("three")]);
  const resumed = await world.run(["resume", "--script", calm, "--json"]);
  const next = resumed.events().find(({ type }) => type === "agent.turn-started");
  expect(resumed.exitCode).toBe(0);
  expect(next?.["at"] as number).toBeGreaterThanOrEqual(until);
});

test("a workflow whose graph has changed is not resumed, and what changed is named", async () => {
  const world = makeWorld();
  const script = world.script("s", [{ steps: [{ fail: { kind: "auth", message: "log in" } }] }]);
  const run = await world.run([...world.words(script), "--json"]);
  const id = run.events()[0]?.runId ?? "";
  const source = world.read("home/.atomic/workflows/steps.ts");
  world.workflow("steps", source.replace('turn("three")', 'turn("four")'));
  const changed = await world.run(["resume", id]);

  expect(changed.exitCode).toBe(1);
  expect(changed.stderr).toContain("GRAPH_CHANGED");
  expect(changed.stderr).toContain("four");
  rmSync(join(world.atomicHome, "workflows", "steps.ts"));
  expect((await world.run(["resume", id])).stderr).toContain("WORKFLOW_NOT_FOUND");
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("an agent whose program is missing pauses the run for the user, and another agent can continue it", async () => {
  const world = makeWorld();
  const script = world.script("s", [turn("one"), turn("two"), turn("three")]);
  // A setting that names nothing: whatever is installed where this runs.
  world.write("home/.atomic/settings.json", { agents: { opencode: { path: "/nowhere/opencode" } } });
  const run = await world.run(["run", "steps", "-a", "opencode"]);
  const id = world.onlyRun();

  expect(run.exitCode).toBe(4);
  expect(run.stderr).toContain('"/nowhere/opencode"');
  expect(run.stderr).toContain(`Resume with: atomic resume ${id}`);
  expect((await world.run(["sessions", "show", id])).stdout).toContain("paused (needs-human)");
  const resumed = await world.run(["resume", id, "-a", "scripted", "--script", script, "--quiet"]);
  expect(resumed.stderr).toBe("");
  expect(resumed.exitCode).toBe(0);
  expect(world.lines()).toEqual(["one", "two", "three"]);
});

test("nodes find the run's folder as the current one, started with --cwd and resumed from elsewhere", async () => {
  const world = createCliWorld();
  world.workflow(
    "where",
    `import { askUserNode, createNode, graph } from "atomic/workflows";
export const name = "where";
export const description = "Says where it is";
export const prompt = "none";
const look = (id) => createNode({ id, execute: async () => ({ stateUpdate: { outputs: { [id]: process.cwd() } } }) });
export default () => graph().start(look("first")).then(askUserNode({ id: "go", question: "Go on?" })).then(look("second"));
`,
  );
  const script = world.script("nothing", []);
  world.write("elsewhere/x", "");
  const run = await world.run(["run", "where", "--script", script, "--cwd", "../elsewhere", "--json"]);
  expect(run.exitCode).toBe(4);
  const resumed = await world.run(["resume", run.events()[0]?.runId ?? "", "--answer", "Go on?=yes"]);

  const cwd = join(world.root, "elsewhere");
  expect(resumed.stdout).toContain(`first:\n${cwd}\n`);
  expect(resumed.stdout).toContain(`second:\n${cwd}\n`);
});
