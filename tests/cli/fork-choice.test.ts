// `atomic resume --from POINT` without an id, and forks that can't be resumed.

import { expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

function makeWorld() {
  const world = createCliWorld();
  const file = world.workflow(
    "two",
    `import { createNode, graph } from "atomic/workflows";
export const name = "two";
export const description = "Two nodes";
export const prompt = "none";
const work = (id) => createNode({ id, execute: () => ({ stateUpdate: { outputs: { [id]: id } } }) });
export default () => graph().start(work("first")).then(work("second"));
`,
  );
  const script = world.script("hello", [{ steps: [{ say: "Hello." }] }]);
  return {
    ...world,
    file,
    async completed(): Promise<string> {
      const run = await world.run(["run", "two", "--script", script, "--json"]);
      expect(run.exitCode).toBe(0);
      return run.events()[0]?.runId ?? "";
    },
    async chat(): Promise<void> {
      const chat = world.start(["chat", "--plain", "--script", script], { stdin: "pipe" });
      chat.type("hi");
      await chat.seen("Hello.");
      chat.end();
      await chat.ended;
    },
    async ids(): Promise<readonly string[]> {
      const { stdout } = await world.run(["sessions", "list", "--json", "--all"]);
      return (JSON.parse(stdout) as readonly { readonly id: string }[]).map(({ id }) => id);
    },
  };
}

test("a fork without an id takes the only run, never a chat; of several it asks, or lists them without a terminal", async () => {
  const world = makeWorld();
  await world.chat();
  const none = await world.run(["resume", "--from", "second"]);
  expect(none.exitCode).toBe(1);
  expect(none.stderr).toContain("RUN_NOT_FOUND");
  expect(await world.ids()).toHaveLength(1);

  const first = await world.completed();
  await world.chat();
  const forked = await world.run(["resume", "--from", "second"]);
  expect(forked.stderr).toContain(`from ${first} after event`);
  expect(forked.exitCode).toBe(0);

  const before = await world.ids();
  const refused = await world.run(["resume", "--from", "second"]);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("RUN_AMBIGUOUS");
  expect(refused.stderr).toContain("2 runs of this folder can be forked:");
  expect(refused.stderr).toMatch(/Nothing was forked\. Name one: atomic resume \S+ --from second\n/);
  expect(await world.ids()).toEqual(before);

  const terminal = world.atTerminal(["resume", "--from", "second"]);
  await terminal.seen("Which one?");
  terminal.type("2");
  const { exitCode, shown } = await terminal.ended;
  expect(exitCode).toBe(0);
  expect(shown).toContain(`from ${first} after event`);
});

test("a fork that can't be resumed is not left behind: of a chat, without trust, its workflow, script or folder", async () => {
  const world = makeWorld();
  await world.chat();
  const chat = world.onlyRun();
  const run = await world.completed();
  // A project's own workflow, trusted for one run only, in a folder that goes away later.
  const source = world.read("home/.atomic/workflows/two.ts").replace('name = "two"', 'name = "own"');
  world.write("gone/.atomic/workflows/own.ts", source);
  const gone = join(world.root, "gone");
  const script = world.script("hello", [{ steps: [{ say: "Hello." }] }]);
  const elsewhere = await Promise.all(
    [["own", "--trust"], ["two"]].map((words) =>
      world.run(["run", ...words, "--script", script, "--json", "--concurrent"], { cwd: gone }),
    ),
  );
  const [own = "", moved = ""] = elsewhere.map((each) => each.events()[0]?.runId ?? "");
  const before = await world.ids();
  const refused = async (...words: readonly string[]): Promise<string> => {
    const { exitCode, stderr } = await world.run(["resume", ...words]);
    expect(exitCode).not.toBe(0);
    expect(await world.ids()).toEqual(before);
    return stderr;
  };

  expect(await refused(own, "--from", "second")).toContain("NOT_TRUSTED");
  rmSync(gone, { recursive: true });
  expect(await refused(moved, "--from", "second")).toContain(gone);
  expect(await refused(chat, "--from", "1")).toContain("is a chat. Continue it with: atomic chat --resume");
  const missing = await refused(run, "--from", "second", "--script", `${world.root}/nosuch.json`);
  expect(missing).toContain("nosuch.json");
  rmSync(world.file);
  expect(await refused(run, "--from", "second")).toContain("WORKFLOW_NOT_FOUND");
});
