// A failed run is resumed: what failed is tried again, what was done is not, and the failure stays on record.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, type Ended, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const nothing = world.script("nothing", [{ steps: [{ say: "ok" }] }]);
/** `test -e FILE` in the project's folder, or throw. */
const needs = `import { existsSync, appendFileSync } from "node:fs";
import { createNode, graph } from "atomic/workflows";
const trace = (word) => appendFileSync("trace.txt", word + " ");
const needs = (id, file, more = {}) => createNode({ id, ...more, execute: async () => {
  trace(id);
  if (!existsSync(file)) throw new Error("there is no " + file);
} });
`;
const head = (name: string): string => `${needs}
export const name = "${name}";
export const description = "Needs a file";
export const prompt = "none";
`;
world.workflow(
  "chain",
  `${head("chain")}export default () => graph().start(needs("first", ".")).then(needs("second", "second.txt")).then(needs("third", "."));`,
);
world.workflow(
  "tries",
  `${head("tries")}export default () => graph().start(needs("often", "often.txt", { retry: { maxAttempts: 3, backoffMs: 1 } }));`,
);
world.workflow(
  "any",
  `${head("any")}export default () => graph().start(needs("start", ".")).parallel({ branches: [needs("left", "any.txt"), needs("right", "any.txt")], strategy: "any" }).then(needs("end", "."));`,
);

const idIn = (run: Ended): string => /session(?: failed)?: ([0-9a-f-]{36})/.exec(run.stderr)?.[1] ?? "";
const trace = (): string => world.read("project/trace.txt").trim();

test("the failed node runs again, those before it don't, and the failure stays on record", async () => {
  world.write("project/trace.txt", "");
  const failed = await world.run(["run", "chain", "--script", nothing]);
  const id = idIn(failed);
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain(`Retry what failed with: atomic resume ${id}`);
  expect(await world.run(["sessions", "show", id])).toMatchObject({
    stdout: expect.stringContaining(`Retry what failed with: atomic resume ${id}`),
  });

  expect((await world.run(["resume", id])).exitCode).toBe(1);
  world.write("project/second.txt", "");
  const done = await world.run(["resume"]);
  expect(done.exitCode).toBe(0);
  expect(trace()).toBe("first second second second third");

  const events = (await world.run(["sessions", "logs", id, "--json"])).events();
  expect(events.filter(({ type }) => type === "run.finished").map(({ outcome }) => outcome)).toEqual([
    "failed",
    "failed",
    "completed",
  ]);
  const tries = events.filter(({ type, node }) => node === "second" && type !== "node.started");
  expect(tries.map(({ type, attempt }) => [type, attempt])).toEqual([
    ["node.failed", 1],
    ["node.failed", 2],
    ["node.finished", 3],
  ]);
});

test("a node gets all of its tries again", async () => {
  world.write("project/trace.txt", "");
  const failed = await world.run(["run", "tries", "--script", nothing]);
  expect(failed.exitCode).toBe(1);
  expect((await world.run(["resume", idIn(failed)])).exitCode).toBe(1);
  expect(trace().split(" ")).toHaveLength(6);
  world.write("project/often.txt", "");
  expect((await world.run(["resume", idIn(failed)])).exitCode).toBe(0);
  expect(trace().split(" ")).toHaveLength(7);
});

test("branches that were all given up are tried again", async () => {
  world.write("project/trace.txt", "");
  const failed = await world.run(["run", "any", "--script", nothing]);
  expect(failed.exitCode).toBe(1);
  world.write("project/any.txt", "");
  const done = await world.run(["resume", idIn(failed)]);
  expect(done.stderr).not.toContain("there is no");
  expect(done.exitCode).toBe(0);
  expect(trace()).toEndWith("end");
});

test("checks after the last node are made again, and no node is repeated", async () => {
  world.write("project/trace.txt", "");
  world.write("project/second.txt", "");
  const check = "test -e verified.txt";
  const failed = await world.run(["run", "chain", "--script", nothing, "--verify", "true", "--verify", check]);
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain(check);
  world.write("project/verified.txt", "");
  expect((await world.run(["resume", idIn(failed)])).exitCode).toBe(0);
  expect(trace()).toBe("first second third");
});

test("ralph tries the tasks again that failed, and no other", async () => {
  const list = { version: "1.0", tasks: ["1", "2"].map((id) => ({ id, title: `Task ${id}` })) };
  world.write("project/tasks.json", list);
  const script = world.script("ralph", [
    { agent: "worker", task: "1", steps: [{ bash: "echo 1 >> worked.txt" }, { say: "ok" }] },
    {
      agent: "worker",
      task: "2",
      steps: [{ bash: "echo 2 >> worked.txt" }, { bash: "test -e ready.txt", expect: 0 }, { say: "ok" }],
    },
  ]);
  const words = ["--feature-list", "tasks.json", "--max-reviews", "0", "--max-tries", "1", "--workers", "1"];
  const failed = await world.run(["ralph", ...words, "--script", script]);
  expect(failed.exitCode).toBe(1);
  const id = idIn(failed);

  expect((await world.run(["resume", id])).exitCode).toBe(1);
  world.write("project/ready.txt", "");
  const done = await world.run(["resume", id]);
  expect(done.exitCode).toBe(0);
  expect(world.read("project/worked.txt").trim().split("\n")).toEqual(["1", "2", "2", "2"]);
  expect(done.stdout).toContain("2  Task 2");
});
