// Whole runs of ralph on PostgreSQL: the process that owns the run is killed around a write, and another home finishes
// it. A few writes here; every one of them with ATOMIC_POSTGRES_KILLS=all (`npm run matrix:postgres`).

import { expect, setDefaultTimeout, test } from "bun:test";
import type { StoredEvent } from "../../src/journal/port.ts";
import { keyOfDone } from "../durability/tape.ts";
import { type Machine, runKilled, twoMachines } from "./machines.ts";

const isAll = process.env["ATOMIC_POSTGRES_KILLS"] === "all";
setDefaultTimeout(isAll ? 3_600_000 : 300_000);

const tasks = [
  { id: "1", name: "First", description: "make a", status: "pending" },
  { id: "2", name: "Second", description: "make b", status: "pending", dependencies: ["1"] },
];

/** A project with two tasks, in git; gives the words that start a run of them. */
function prepare(machine: Machine): readonly string[] {
  const git = (...words: string[]) => Bun.spawnSync(["git", ...words], { cwd: machine.project, env: machine.env });
  git("init", "-q");
  git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "first");
  machine.write("project/tasks.json", { version: "1.0", tasks });
  const work = (title: string, file: string) => ({
    match: title,
    steps: [{ bash: `echo ${title} >> ${file}` }, { say: `${title} done` }],
  });
  const review = { agent: "reviewer", steps: [{ say: '{"verdict":"correct","findings":[]}' }] };
  const script = machine.script("s", [review, work("First", "a.txt"), work("Second", "b.txt")]);
  return ["ralph", "--feature-list", "tasks.json", "-a", "scripted", "--trust", "--script", script];
}

/** What the run recorded as done, each once. */
function doneIn(events: readonly StoredEvent[]): readonly string[] {
  const done = events.flatMap((event) => keyOfDone(event));
  expect(new Set(done).size).toBe(done.length);
  return done.toSorted();
}

interface Trial {
  /** Undefined when the process was killed. */
  readonly writes: number | undefined;
  /** Undefined when it was killed before its first record. */
  readonly done: readonly string[] | undefined;
}

/** A run that is killed at this write, and finished from another home. */
async function runTrial(write: number): Promise<Trial> {
  const { url, first, second, store } = await twoMachines();
  const words = prepare(first);
  const when = write % 2 === 0 ? "before" : "after";
  const writes = await runKilled(first, url, { write, when }, words);
  const { run, lastSeq = 0 } = (await store.list()).runs[0] ?? { run: "" };
  if (lastSeq === 0) return { writes, done: undefined };
  if (writes === undefined) {
    const resumed = await second.run(["resume", run]);
    const isOver = resumed.stderr.includes("is already completed");
    expect({ write, exitCode: isOver ? 0 : resumed.exitCode, stderr: resumed.stderr }).toMatchObject({ exitCode: 0 });
  }
  const { status, owner } = await store.info(run);
  // Killed after its last record, it is over and still has its dead owner on record.
  expect({ write, status, isOwned: owner === "alive" }).toEqual({ write, status: "completed", isOwned: false });
  const listed = JSON.parse((await second.run(["sessions", "--json"])).stdout) as object[];
  expect(listed).toMatchObject([{ id: run, status: "completed", tasks: { completed: 2, total: 2 } }]);
  const done = doneIn(await Array.fromAsync(store.read(run)));
  await store.close();
  return { writes, done };
}

test(`ralph whose owner is killed around ${isAll ? "every write" : "some writes"} is finished from another home, as if undisturbed`, async () => {
  const { writes = 0, done } = await runTrial(Number.MAX_SAFE_INTEGER);
  expect(writes).toBeGreaterThan(10);
  const some = [2, 0.3, 0.6, 0.9].map((part) => (part < 1 ? Math.floor(writes * part) : part));
  let kills = 0;
  for (const write of isAll ? Array.from({ length: writes }, (_, i) => i + 1) : some) {
    const trial = await runTrial(write);
    if (trial.writes === undefined) kills++;
    if (trial.done !== undefined) expect({ write, done: trial.done }).toEqual({ write, done: done ?? [] });
  }
  if (isAll) process.stderr.write(`${kills} kills at ${writes} writes\n`);
  expect(kills).toBeGreaterThanOrEqual(isAll ? writes - 1 : some.length - 1);
});
