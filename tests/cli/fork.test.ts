// `atomic resume ID --from NODE|EVENT`: a new run from an earlier point of another one, which stays as it is.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, type Ended, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const nothing = world.script("nothing", [{ steps: [{ say: "ok" }] }]);
world.workflow(
  "chain",
  `import { appendFileSync } from "node:fs";
import { askUserNode, createNode, graph } from "atomic/workflows";
export const name = "chain";
export const description = "Three nodes";
export const prompt = "none";
export const nodeDescriptions = { first: "First", second: "Second", third: "Third" };
const work = (id) => createNode({ id, execute: async ({ state }) => {
  appendFileSync("trace.txt", id + " ");
  return { stateUpdate: { outputs: { [id]: state.executionId } } };
} });
export default () => graph().start(work("first")).then(work("second")).then(askUserNode({ id: "colour", question: "Which colour?" })).then(work("third"));
`,
);

const forkedIn = ({ stderr }: Ended): string => /Forked ([0-9a-f-]{36}) from/.exec(stderr)?.[1] ?? "";
const eventsOf = async (id: string) => (await world.run(["sessions", "logs", id, "--json"])).events();
const trace = (): string => world.read("project/trace.txt").trim();
const answer = ["--answer", "Which colour?=red"];

async function completed(): Promise<string> {
  world.write("project/trace.txt", "");
  const done = await world.run(["run", "chain", "--script", nothing, "--json", ...answer]);
  expect(done.exitCode).toBe(0);
  return done.events()[0]?.runId ?? "";
}

test("a fork from a node runs that node and what follows; the old run stays as it was", async () => {
  const id = await completed();
  const before = await eventsOf(id);

  const forked = await world.run(["resume", id, "--from", "second", ...answer]);
  expect(forked.stderr).toContain("Files in the folder stay as they are now.");
  expect(forked.stderr.match(/^▸ .*/gm)).toEqual(["▸ Second", "▸ Third"]);
  expect(forked.exitCode).toBe(0);
  expect(trace()).toBe("first second third second third");
  expect(await eventsOf(id)).toEqual(before);

  const fork = forkedIn(forked);
  const [first] = await eventsOf(fork);
  expect(first).toMatchObject({ type: "run.started", resumed: false, forkedFrom: { run: id } });
  expect(JSON.stringify(first)).toContain(fork);
  const shown = await world.run(["sessions", "show", fork]);
  expect(shown.stdout).toContain(`Forked:  from ${id} after event `);
  // It is a separate run in every way.
  expect((await eventsOf(fork)).findLast(({ node }) => node === "third")).toMatchObject({
    update: { outputs: { third: fork } },
  });
});

test("a fork from an event keeps everything up to it, and takes no answer along that came later", async () => {
  const id = await completed();
  const { stdout: logs } = await world.run(["logs", id]);
  const [, asked = ""] = /^ *(\d+) .* question\.asked /m.exec(logs) ?? [];

  const forked = await world.run(["resume", id, "--from", asked]);
  expect(forked.exitCode).toBe(4);
  const fork = forkedIn(forked);
  expect(trace()).toBe("first second third");

  const again = await world.run(["resume", fork, ...answer]);
  expect(again.exitCode).toBe(0);
  expect(trace()).toBe("first second third third");
});

test("a cancelled run can be forked from before its end", async () => {
  world.write("project/trace.txt", "");
  const paused = await world.run(["run", "chain", "--script", nothing, "--json"]);
  const id = paused.events()[0]?.runId ?? "";
  expect((await world.run(["cancel", id])).exitCode).toBe(0);

  const forked = await world.run(["resume", id, "--from", "colour", ...answer]);
  expect(forked.exitCode).toBe(0);
  expect(trace()).toBe("first second third");
});

test("a node that did not run, an event that is not there and the end of a run are refused, and make no run", async () => {
  const id = await completed();
  const count = async (): Promise<number> =>
    (JSON.parse((await world.run(["sessions", "list", "--json", "--all"])).stdout) as readonly unknown[]).length;
  const before = await count();

  const node = await world.run(["resume", id, "--from", "fourth"]);
  expect(node.exitCode).toBe(2);
  expect(node.stderr).toContain("Choose one of first, second, colour, third");
  const last = (await eventsOf(id)).length;
  expect((await world.run(["resume", id, "--from", String(last + 1)])).stderr).toContain(`has no event ${last + 1}`);
  expect((await world.run(["resume", id, "--from", "0"])).exitCode).toBe(2);
  expect((await world.run(["resume", id, "--from", String(last)])).stderr).toContain("is the end of run");

  expect(await count()).toBe(before);
});

test("a fork of ralph with work trees has its own head and kept work", async () => {
  const git = (...words: readonly string[]): string => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(
      ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", ...words],
      { cwd: world.project, env: world.env },
    );
    if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr.toString()}`);
    return stdout.toString().trim();
  };
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  world.write("project/tasks.json", { version: "1.0", tasks: ["1", "2"].map((id) => ({ id, title: `Task ${id}` })) });
  const script = world.script("trees", [
    { agent: "worker", steps: [{ bash: 'echo "$RANDOM$RANDOM" > "made-$$.txt"' }, { say: "ok" }] },
  ]);
  const words = ["--feature-list", "tasks.json", "--isolate", "--max-reviews", "0", "--script", script, "--trust"];
  const done = await world.run(["ralph", ...words, "--json"]);
  expect(done.exitCode).toBe(0);
  const id = done.events()[0]?.runId ?? "";
  const refs = git("for-each-ref", `refs/atomic/run/${id}`, "--format=%(refname) %(objectname)");

  const forked = await world.run(["resume", id, "--from", "work"]);
  expect(forked.stderr).not.toContain("WORKTREE_FAILED");
  expect(forked.exitCode).toBe(0);
  const fork = forkedIn(forked);
  expect(git("for-each-ref", `refs/atomic/run/${id}`, "--format=%(refname) %(objectname)")).toBe(refs);
  const head = (run: string): string => git("rev-parse", `refs/atomic/run/${run}/head`);
  expect(head(fork)).not.toBe(head(id));
  const landed = (await eventsOf(fork)).filter(({ type }) => type === "task.landed");
  expect(landed).toHaveLength(2);
});
