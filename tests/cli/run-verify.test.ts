// `--verify` for every workflow: the run is completed only when each command succeeded after the last node.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, type Ended, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

/** Writes `made.txt`; `extra` stands among its exports. */
function makerWorld(extra = ""): CliWorld {
  const world = createCliWorld();
  world.workflow(
    "maker",
    `import { appendFileSync } from "node:fs";
import { graph, toolNode, type BaseState } from "atomic/workflows";
export const name = "maker";
export const prompt = "none";
${extra}
export default () =>
  graph<BaseState>()
    .start(toolNode({ id: "make", execute: () => { appendFileSync("made.txt", "x"); return "made"; } }))
    .compile();
`,
  );
  return world;
}

const script = (world: CliWorld): string => world.script("none", []);
const verify = (world: CliWorld, ...commands: readonly string[]): Promise<Ended> =>
  world.run(["run", "maker", "--script", script(world), "--json", ...commands.flatMap((each) => ["--verify", each])]);
const verified = (run: Ended) => run.events().filter(({ type }) => type === "verify.finished");

test("--verify runs after the last node of any workflow, and the run completes when all succeed", async () => {
  const world = makerWorld();
  const run = await verify(world, "test -e made.txt", "true");

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  expect(verified(run)).toMatchObject([
    { command: "test -e made.txt", exitCode: 0, task: null },
    { command: "true", exitCode: 0, task: null },
  ]);
  expect(run.events().at(-1)).toMatchObject({ type: "run.finished", outcome: "completed" });
});

test("a --verify that fails fails the run, names the command and shows what it printed; later ones don't run", async () => {
  const world = makerWorld();
  const run = await verify(world, "true", "echo two apples are missing; exit 3", "touch later.txt");

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain(
    "`echo two apples are missing; exit 3` exits with 3. It printed:\ntwo apples are missing",
  );
  expect(verified(run).map(({ exitCode }) => exitCode)).toEqual([0, 3]);
  expect(run.events().at(-1)).toMatchObject({
    type: "run.finished",
    outcome: "failed",
    error: { code: "VERIFY_FAILED" },
  });
  expect(existsSync(join(world.project, "later.txt"))).toBe(false);
});

test("--verify without a command is wrong usage, and makes no run", async () => {
  for (const empty of ["", "  \n"]) {
    const world = makerWorld();
    const run = await verify(world, empty);

    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("--verify needs a command");
    expect(readdirSync(world.sessions).filter((name) => !name.startsWith("."))).toEqual([]);
    expect(existsSync(join(world.project, "made.txt"))).toBe(false);
  }
});

test("a --verify that is ended by a signal fails, and the signal is named", async () => {
  const run = await verify(makerWorld(), "kill -9 $$");

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain("`kill -9 $$` was ended by SIGKILL");
  expect(verified(run)).toMatchObject([{ exitCode: null, endedBy: "SIGKILL" }]);
});

test("a --verify that wants a terminal or input gets neither, and does not wait", async () => {
  const world = makerWorld();
  // In a separate terminal, where a program could ask for input.
  const words = [world.program, "run", "maker", "--script", script(world), "--verify"];
  const inTerminal = (command: string) => {
    const line = [...words, command].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    return Bun.spawn(["script", "-qec", line, "/dev/null"], {
      cwd: world.project,
      env: world.env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
  };
  const asks = inTerminal("read answer < /dev/tty; echo got $answer; exit 7");
  const said = await new Response(asks.stdout).text();
  expect(await asks.exited).toBe(1);
  expect(said).toMatch(/exits with 7/);
  expect(said).toMatch(/\/dev\/tty/);

  const reads = await verify(world, "read answer || exit 9");
  expect(reads.stderr).toContain("exits with 9");
});

test("a run that is stopped during a --verify continues with that one when it is resumed", async () => {
  const world = makerWorld();
  const slow = "echo s >> ../slow.txt; touch ../begun; while [ ! -e ../go ]; do sleep 0.05; done";
  const words = ["--verify", "echo f >> ../first.txt", "--verify", slow];
  const live = world.start(["run", "maker", "--script", script(world), "--json", ...words]);
  await poll(() => existsSync(join(world.root, "begun")) || undefined);
  live.signal("SIGINT");
  const stopped = await live.ended;
  expect(stopped.exitCode).toBe(130);
  expect(stopped.events().at(-1)).toMatchObject({ type: "run.paused", reason: "interrupted" });

  world.write("go", "");
  const resumed = await world.run(["resume", world.onlyRun(), "--json"]);
  expect(resumed.stderr).toBe("");
  expect(resumed.exitCode).toBe(0);
  expect(verified(resumed)).toMatchObject([{ command: slow, exitCode: 0 }]);
  expect(world.read("first.txt")).toBe("f\n");
  expect(world.read("slow.txt")).toBe("s\ns\n");
  expect(world.read("project/made.txt")).toBe("x");
});

test("a run that is killed during a --verify continues with that one when it is resumed", async () => {
  const world = makerWorld();
  const slow = "touch ../begun; while [ ! -e ../go ]; do sleep 0.05; done";
  const live = world.start(["run", "maker", "--script", script(world), "--verify", slow]);
  await poll(() => existsSync(join(world.root, "begun")) || undefined);
  live.signal("SIGKILL");
  await live.ended;
  world.write("go", "");

  const resumed = await world.run(["resume", world.onlyRun(), "--json"]);
  expect(resumed.exitCode).toBe(0);
  expect(verified(resumed)).toMatchObject([{ command: slow, exitCode: 0 }]);
  expect(world.read("project/made.txt")).toBe("x");
});

test("a workflow that verifies itself gets the commands, and the run does not repeat them", async () => {
  const world = makerWorld(
    `export const verifiesItself = true;
export const createState = ({ sessionId, options }) => ({ executionId: sessionId, outputs: { asked: options.verify } });`,
  );
  const run = await verify(world, "false");

  expect(run.exitCode).toBe(0);
  expect(verified(run)).toEqual([]);
  expect(run.events()[0]).toMatchObject({ state: { outputs: { asked: ["false"] } } });
});

test("ralph runs --verify also when every task was done before, and asks no reviewer about work of others", async () => {
  const world = createCliWorld();
  const list = world.write("list.json", { tasks: [{ id: "1", name: "Done", status: "passing" }] });
  const ralph = (command: string) =>
    world.run(["ralph", "--feature-list", list, "--script", script(world), "--json", "--verify", command]);
  const good = await ralph("true");
  const bad = await ralph("exit 4");

  expect(good.exitCode).toBe(0);
  expect(verified(good)).toMatchObject([{ command: "true", exitCode: 0 }]);
  expect(bad.exitCode).toBe(1);
  expect(bad.stderr).toContain("The only task was done already, but `exit 4` exits with 4");
});
