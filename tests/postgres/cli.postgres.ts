// Whole runs of the real program on PostgreSQL, from several homes that share nothing but the database: start on one,
// watch, answer, pause and resume from another; owners that are killed, stopped and taken over.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../cli/cli-world.ts";
import { runKilled, turn, twoMachines } from "./machines.ts";
import { runSql, schemaUrl, sharedUrl } from "./shared-server.ts";

setDefaultTimeout(90_000);

test("a run is started on one home, and watched, answered and resumed from another", async () => {
  const { first, second, store } = await twoMachines();
  const script = first.script("s", [turn("one"), turn("two")]);
  const started = await first.run(["run", "steps", "-a", "scripted", "--script", script, "--json"]);
  expect(started.exitCode).toBe(4);
  const id = started.events()[0]?.runId ?? "";

  const listed = JSON.parse((await second.run(["sessions", "--json"])).stdout) as object[];
  expect(listed).toMatchObject([{ id, status: "paused" }]);
  expect((await second.run(["sessions", "show", id])).stdout).toContain("Go on?");
  const answered = await second.run(["answer", id, "yes"]);
  expect({ exitCode: answered.exitCode, stderr: answered.stderr }).toEqual({ exitCode: 0, stderr: "" });
  const answeredList = JSON.parse((await first.run(["sessions", "--json"])).stdout) as object[];
  expect(answeredList).toMatchObject([{ id, status: "paused", reason: "answered", questions: [] }]);
  const resumed = await second.run(["resume", id]);
  expect(resumed.exitCode).toBe(0);
  expect(first.lines()).toEqual(["one", "two"]);

  expect(await store.info(id)).toMatchObject({ status: "completed", owner: "none" });
  expect((await first.run(["sessions", "show", id])).stdout).toContain("Status:  completed");
  expect((await first.run(["sessions", "rm", id])).exitCode).toBe(0);
  expect((await store.list()).runs).toEqual([]);
  await store.close();
});

test("every command refuses a database that a later version prepared", async () => {
  const { first, schema, store } = await twoMachines();
  const script = first.script("s", [turn("one"), turn("two")]);
  const start = ["run", "steps", "-a", "scripted", "--script", script, "--json"];
  const id = (await first.run(start)).events()[0]?.runId ?? "";
  const { lastSeq } = await store.info(id);
  await runSql(`UPDATE ${schema}.meta SET format = 7`);
  const commands = [
    ["db", "prepare"],
    ["sessions"],
    ["sessions", "show", id],
    ["sessions", "transcript", id],
    ["sessions", "rm", id],
    ["answer", id, "yes"],
    ["pause", id],
    ["resume", id],
    ["run", "steps", "-a", "scripted", "--script", script],
  ];
  for (const words of commands) {
    const { exitCode, stdout, stderr } = await first.run(words);
    expect({ words, exitCode, stdout }).toEqual({ words, exitCode: 1, stdout: "" });
    expect(stderr).toContain("JOURNAL_NEWER");
    expect(stderr).toContain("was written by a later version of this program: its format is 7");
  }
  await runSql(`UPDATE ${schema}.meta SET format = 1`);
  expect((await store.list()).runs).toMatchObject([{ run: id, lastSeq }]);
  expect(await store.pending(id)).toEqual([]);
  await store.close();
});

test("a run is paused from another home, and the first one exits 3", async () => {
  const { first, second, store } = await twoMachines();
  const script = first.script("s", [turn("one", { hang: true }), turn("two")]);
  const run = first.start(["run", "steps", "-a", "scripted", "--script", script]);
  await poll(() => (first.lines().includes("one") ? true : undefined));
  const [info] = (await store.list()).runs;
  const id = info?.run ?? "";
  expect(info).toMatchObject({ status: "running", owner: "alive", ownedBy: { pid: expect.any(Number) } });

  const refused = await second.run(["resume", id]);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("RUN_OWNED");
  expect(refused.stderr).toContain(`atomic pause ${id}`);
  expect((await second.run(["pause", id])).exitCode).toBe(0);
  expect((await run.ended).exitCode).toBe(3);
  await store.close();
});

test("an owner that is killed is replaced, and nothing recorded is done again", async () => {
  const { first, second, store } = await twoMachines();
  const script = first.script("s", [turn("one"), turn("two")]);
  const answer = ["--answer", "ask=yes"];
  const hanging = first.script("h", [turn("one"), turn("two", { hang: true })]);
  const run = first.start(["run", "steps", "-a", "scripted", "--script", hanging, ...answer]);
  await poll(() => (first.lines().includes("two") ? true : undefined));
  run.signal("SIGKILL");
  await run.ended;
  const id = (await store.list()).runs[0]?.run ?? "";

  const resumed = await second.run(["resume", id, "--script", script]);
  expect({ exitCode: resumed.exitCode, stderr: resumed.stderr }).toMatchObject({ exitCode: 0 });
  expect(first.lines().filter((line) => line === "one")).toEqual(["one"]);
  expect(await store.info(id)).toMatchObject({ status: "completed" });
  await store.close();
});

test("an owner that is stopped beyond its lease is replaced without --take-over, and notified when it wakes", async () => {
  const { first, second, store, schema } = await twoMachines();
  const hanging = first.script("h", [turn("one", { hang: true }), turn("two")]);
  const script = first.script("s", [turn("one"), turn("two")]);
  const run = first.start(["run", "steps", "-a", "scripted", "--script", hanging, "--answer", "ask=yes"]);
  await poll(() => (first.lines().includes("one") ? true : undefined));
  const id = (await store.list()).runs[0]?.run ?? "";
  run.signal("SIGSTOP");
  // Instead of waiting for the lease, its end is moved here.
  await runSql(`UPDATE ${schema}.runs SET lease_until = clock_timestamp() - interval '1 s'`);

  expect(await store.info(id)).toMatchObject({ owner: "dead" });
  const resumed = await second.run(["resume", id, "--script", script, "--answer", "ask=yes"]);
  expect({ exitCode: resumed.exitCode, stderr: resumed.stderr }).toMatchObject({ exitCode: 0 });
  const { lastSeq } = await store.info(id);
  run.signal("SIGCONT");
  const ended = await run.ended;
  expect(ended.exitCode).toBe(1);
  expect(ended.stderr).toContain("OWNER_LOST");
  expect(await store.info(id)).toMatchObject({ status: "completed", lastSeq });
  await store.close();
});

test("ralph runs on PostgreSQL, and resumes from another home after a kill", async () => {
  const { first, second, store } = await twoMachines();
  const git = (...words: string[]) => Bun.spawnSync(["git", ...words], { cwd: first.project, env: first.env });
  git("init", "-q");
  git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "first");
  first.write("project/tasks.json", {
    version: "1.0",
    tasks: [
      { id: "1", name: "First", description: "make a", status: "pending" },
      { id: "2", name: "Second", description: "make b", status: "pending", dependencies: ["1"] },
    ],
  });
  const work = (title: string, file: string, ...more: object[]) => ({
    match: title,
    steps: [{ bash: `echo ${title} >> ${file}` }, ...more, { say: `${title} done` }],
  });
  const review = { match: "[Rr]eview", steps: [{ say: '{"findings": []}' }] };
  const words = ["ralph", "--feature-list", "tasks.json", "-a", "scripted", "--trust"];
  const hanging = first.script("h", [work("First", "a.txt"), work("Second", "b.txt", { hang: true }), review]);
  const script = first.script("s", [work("First", "a.txt"), work("Second", "b.txt"), review]);
  const run = first.start([...words, "--script", hanging]);
  const taskDone = async (): Promise<true | undefined> => {
    const id = (await store.list()).runs[0]?.run;
    if (id === undefined) return undefined;
    const events = await Array.fromAsync(store.read(id));
    return JSON.stringify(events).includes('"status":"completed"') ? true : undefined;
  };
  while ((await taskDone()) === undefined) await Bun.sleep(50);
  run.signal("SIGKILL");
  await run.ended;
  const id = (await store.list()).runs[0]?.run ?? "";

  const resumed = await second.run(["resume", id, "--script", script]);
  expect({ exitCode: resumed.exitCode, stderr: resumed.stderr }).toMatchObject({ exitCode: 0 });
  expect(await store.info(id)).toMatchObject({ status: "completed" });
  await store.close();
});

test("the password is in nothing that is printed or recorded", async () => {
  const { first, schema } = await twoMachines();
  const url = new URL(sharedUrl());
  const settings = join(first.atomicHome, "settings.json");
  first.write("home/.atomic/settings.json", { store: schemaUrl(schema) });
  expect(existsSync(settings)).toBe(true);
  const script = first.script("s", [
    {
      steps: [
        { bash: "cat $HOME/.atomic/settings.json; echo $ATOMIC_STORE" },
        { say: `my password is ${url.password}` },
      ],
    },
  ]);
  first.workflow(
    "one",
    `import { graph, agentNode } from "atomic/workflows";
export const name = "one";
export const description = "One turn";
export default () => graph().start(agentNode({ id: "work", prompt: "go" }));
`,
  );
  const env = { ATOMIC_STORE: "" };
  const run = await first.run(["run", "one", "x", "-a", "scripted", "--script", script, "--json"], { env });
  expect(run.exitCode).toBe(0);
  const outputs = [run.stdout, run.stderr];
  for (const words of [
    ["config"],
    ["config", "get", "store"],
    ["config", "--json"],
    ["doctor"],
    ["sessions", "show"],
    ["sessions", "logs"],
  ]) {
    const { stdout, stderr } = await first.run(words, { env });
    outputs.push(stdout, stderr);
  }
  const wrong = schemaUrl("nope").replace(url.password, `${url.password}x`);
  outputs.push((await first.run(["sessions"], { env: { ATOMIC_STORE: wrong } })).stderr);
  expect(outputs.join("\n")).toContain("***");
  expect(outputs.join("\n")).not.toContain(url.password);
});

test("a run whose owner is killed around any of its writes is finished from another home, each turn recorded once", async () => {
  const { url, first, second, store } = await twoMachines();
  const script = first.script("s", [turn("one"), turn("two")]);
  const words = ["run", "steps", "-a", "scripted", "--script", script, "--answer", "ask=yes"];
  let kills = 0;
  for (let write = 1; ; write++) {
    const when = write % 2 === 0 ? "before" : "after";
    const known = new Set((await store.list()).runs.map(({ run }) => run));
    const writes = await runKilled(first, url, { write, when }, words);
    const { run, lastSeq } = (await store.list()).runs.find((info) => !known.has(info.run)) ?? { run: "", lastSeq: 0 };
    if (writes !== undefined) {
      expect(writes).toBeLessThan(write);
      break;
    }
    kills++;
    // Killed before its first record: there is no run yet.
    if (lastSeq === 0) continue;
    const resumed = await second.run(["resume", run, "--script", script, "--answer", "ask=yes"]);
    const { status } = await store.info(run);
    expect({ write, status, exitCode: resumed.exitCode, stderr: resumed.stderr }).toMatchObject({
      status: "completed",
      exitCode: resumed.stderr.includes("is already completed") ? expect.any(Number) : 0,
    });
    const finished = (await Array.fromAsync(store.read(run))).filter(({ type }) => type === "node.finished");
    expect(finished.map(({ node }) => node)).toEqual(["one", "ask", "two"]);
  }
  expect(kills).toBeGreaterThan(6);
  await store.close();
}, 240_000);
