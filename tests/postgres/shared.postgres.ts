// What other machines see of a run besides its journal: what its agents said and did, and lists that fold no run twice.
// And what they don't: a run of another machine works in another folder, also where the path is the same.

import { expect, setDefaultTimeout, test } from "bun:test";
import { poll } from "../cli/cli-world.ts";
import { machine, turn, twoMachines } from "./machines.ts";
import { runSql, schemaUrl } from "./shared-server.ts";

setDefaultTimeout(90_000);

test("a transcript is read from another home, also of a run that continued there", async () => {
  const { first, second, store } = await twoMachines();
  const script = first.script("s", [turn("one"), turn("two")]);
  const started = await first.run(["run", "steps", "-a", "scripted", "--script", script, "--json"]);
  const id = started.events()[0]?.runId ?? "";
  const there = await second.run(["sessions", "transcript", id]);
  expect(there.stdout).toBe((await first.run(["sessions", "transcript", id])).stdout);
  expect(there.stdout).toContain("echo one >> log.txt");
  expect(there.stdout).not.toContain("echo two");

  expect((await second.run(["resume", id, "--answer", "ask=yes"])).exitCode).toBe(0);
  for (const home of [first, second]) {
    const { stdout } = await home.run(["sessions", "transcript", id]);
    // Each once, as it was shown before.
    const times = (text: string, part: string): number => text.split(part).length;
    expect(times(stdout, "echo one")).toBe(times(there.stdout, "echo one"));
    expect(times(stdout, "echo two")).toBe(times(there.stdout, "echo one"));
    expect(stdout.indexOf("echo one")).toBeLessThan(stdout.indexOf("echo two"));
  }
  expect((await second.run(["sessions", "rm", id])).exitCode).toBe(0);
  await store.close();
});

test("a transcript is followed from another home while its agent works, to the end of the run", async () => {
  const { first, second, store } = await twoMachines();
  const wait = { bash: "while [ ! -e go ]; do sleep 0.05; done" };
  const script = first.script("s", [turn("one"), turn("two", wait, { bash: "echo last words" })]);
  const answer = ["--answer", "ask=yes"];
  const run = first.start(["run", "steps", "-a", "scripted", "--script", script, ...answer]);
  await poll(() => (first.lines().includes("two") ? true : undefined));
  const id = (await store.list()).runs[0]?.run ?? "";
  const follower = second.start(["sessions", "transcript", id, "--follow"]);
  await poll(() => (follower.stdout().includes("while [ ! -e go ]") ? true : undefined));
  expect((await second.run(["sessions", "show", id])).stdout).toContain("running");
  first.write("project/go", "");
  expect((await run.ended).exitCode).toBe(0);
  const followed = await follower.ended;
  expect(followed.exitCode).toBe(0);
  for (const part of ["echo one", "echo two", "last words"]) expect(followed.stdout).toContain(part);
  await store.close();
});

test("a list folds a run once, for all homes, and again only when it has changed", async () => {
  const { first, second, store, schema } = await twoMachines();
  const script = first.script("s", [turn("one"), turn("two", { bash: "exit 1", expect: 0 })]);
  const words = ["run", "steps", "-a", "scripted", "--script", script, "--answer", "ask=yes", "--json"];
  const id = (await first.run(words)).events()[0]?.runId ?? "";
  const listed = async (): Promise<unknown> => JSON.parse((await second.run(["sessions", "--json"])).stdout);
  expect(await listed()).toMatchObject([{ id, status: "failed" }]);
  // What is shown is what was kept: a change of that shows.
  await runSql(`UPDATE ${schema}.summaries SET body = replace(body, '"failed"', '"cancelled"')`);
  expect(await listed()).toMatchObject([{ id, status: "cancelled" }]);
  const calm = first.script("calm", [turn("one"), turn("two")]);
  expect((await first.run(["resume", id, "--script", calm])).exitCode).toBe(0);
  expect(await listed()).toMatchObject([{ id, status: "completed" }]);

  // What is torn, forged or of another version counts as nothing, and so does a database without the tables.
  await runSql(`UPDATE ${schema}.summaries SET body = '{"version":'`);
  expect(await listed()).toMatchObject([{ id, status: "completed" }]);
  await runSql(`DROP TABLE ${schema}.summaries; DROP TABLE ${schema}.transcripts`);
  expect(await listed()).toMatchObject([{ id, status: "completed" }]);
  expect((await first.run(["sessions", "transcript", id])).stdout).toContain("echo two");
  await store.close();
});

test("a long run is folded once from another home, and then only what came since", async () => {
  const { first, second, store, schema } = await twoMachines();
  const script = first.script("s", [turn("one"), turn("two")]);
  const started = await first.run(["run", "steps", "-a", "scripted", "--script", script, "--json"]);
  const id = started.events()[0]?.runId ?? "";
  const handle = await store.open(id, { mode: "resume" });
  const note = { type: "attempt.noted", key: "one#1", attempt: 1, note: { type: "progress" } };
  await handle.append(Array.from({ length: 200 }, () => note));
  await handle.close();
  const shown = await second.run(["sessions", "show", id]);
  expect({ exitCode: shown.exitCode, stderr: shown.stderr }).toEqual({ exitCode: 0, stderr: "" });

  // Reading it whole would now report that it is damaged.
  await runSql(`DELETE FROM ${schema}.appends WHERE first_seq < 10`);
  expect((await second.run(["sessions", "show", id])).stdout).toBe(shown.stdout);
  expect((await machine(schemaUrl(schema)).run(["sessions", "show", id])).stderr).toContain("JOURNAL_CORRUPT");
  await store.close();
});

/** Records the owner of the runs as a process of another machine. */
const moveAway = (schema: string): Promise<void> =>
  runSql(`UPDATE ${schema}.runs SET owner = (owner::jsonb ||
    '{"host":"other","machine":"other","boot":"other","namespace":"pid:[1]"}'::jsonb)::text`);

test("a run on another machine does not keep the folder of the same path busy", async () => {
  const { first, second, store, schema } = await twoMachines();
  const hanging = first.script("h", [turn("one", { hang: true }), turn("two")]);
  const words = ["run", "steps", "-a", "scripted", "--answer", "ask=yes", "--script"];
  const run = first.start([...words, hanging]);
  await poll(() => (first.lines().includes("one") ? true : undefined));
  const id = (await store.list()).runs[0]?.run ?? "";
  const script = second.script("s", [turn("one"), turn("two")]);
  const busy = await second.run([...words, script]);
  expect({ exitCode: busy.exitCode, stderr: busy.stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining("FOLDER_BUSY"),
  });

  await moveAway(schema);
  expect(await store.info(id)).toMatchObject({ owner: "alive", ownedBy: { host: "other", isElsewhere: true } });
  // It is named where that helps, and is in no one's way.
  expect((await second.run(["resume"])).stderr).toContain(`${id} is running`);
  const free = await second.run([...words, script]);
  expect({ exitCode: free.exitCode, stderr: free.stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
  run.signal("SIGINT");
  await run.ended;
  await store.close();
});

test("tasks that another machine completed in a folder of the same path count as not done", async () => {
  const { first, second, store, schema } = await twoMachines();
  first.write("project/tasks.json", { version: "1.0", tasks: [{ id: "1", title: "First" }] });
  const script = first.script("s", [{ steps: [{ say: "ok" }] }]);
  const ralph = ["ralph", "-a", "scripted", "--feature-list", "tasks.json", "--max-reviews", "0", "--script", script];
  expect((await first.run(ralph)).exitCode).toBe(0);
  expect((await second.run(ralph)).stderr).toContain("TASKS_DONE_EARLIER");
  await moveAway(schema);
  // The home that did the work still knows, whatever its host is called by now.
  expect((await first.run(ralph)).stderr).toContain("TASKS_DONE_EARLIER");
  const again = await second.run(ralph);
  expect({ exitCode: again.exitCode, stderr: again.stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
  await store.close();
});
