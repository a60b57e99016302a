// The program in odd surroundings: no home, Windows, pipes where files belong.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const root = join(import.meta.dir, "../..");
const isRoot = process.getuid?.() === 0;

/**
 * As a user that the system does not know, with an environment of these variables only. It may read every file: the
 * checkout can lie in a folder that only its owner enters.
 */
function asUnknownUser(cwd: string, variables: readonly string[], words: readonly string[]) {
  const program = process.env["ATOMIC_TEST_PROGRAM"] ?? join(root, "bin/atomic");
  const user = ["--reuid=54321", "--regid=54321", "--clear-groups"];
  const rights = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  const bare = ["env", "-i", "PATH=/usr/bin:/bin", ...variables];
  const done = Bun.spawnSync(["setpriv", ...user, ...rights, ...bare, program, ...words], { cwd });
  return { exitCode: done.exitCode, stdout: done.stdout.toString(), stderr: done.stderr.toString() };
}

test.if(isRoot && Bun.which("setpriv") !== null)(
  "without HOME and without an entry for the user, ATOMIC_HOME is enough; without that, one sentence says what to set",
  async () => {
    const world = createCliWorld();
    for (const folder of [world.root, world.project]) chmodSync(folder, 0o777);
    const home = join(world.root, "shared-home");
    mkdirSync(join(home, "workflows"), { recursive: true });
    for (const folder of [home, join(home, "workflows")]) chmodSync(folder, 0o777);
    world.write(
      "shared-home/workflows/hi.ts",
      `import { createNode, graph } from "atomic/workflows";
export const name = "hi";
export const prompt = "none";
export default () => graph().start(createNode({ id: "say", execute: async () => ({ stateUpdate: { outputs: { say: "hi" } } }) }));
`,
    );
    const script = world.script("nothing", []);
    const variables = [`ATOMIC_HOME=${home}`, `TMPDIR=${world.root}`];
    const run = asUnknownUser(world.project, variables, ["run", "hi", "--script", script, "--quiet"]);
    expect(run).toEqual({ exitCode: 0, stdout: "hi\n", stderr: "" });
    for (const words of [["sessions"], ["agents"], ["workflows"], ["config", "list"], ["trust", "--yes"], ["doctor"]]) {
      const done = asUnknownUser(world.project, variables, words);
      expect([words, done.exitCode, done.stderr]).toEqual([words, 0, ""]);
    }
    const lost = asUnknownUser(world.project, [], ["sessions"]);
    expect(lost.exitCode).toBe(1);
    expect(lost.stderr).toMatch(/^atomic: SETTINGS_INVALID: There is no home folder: .* set ATOMIC_HOME to a folder/);
    expect(lost.stderr.trim().split("\n")).toHaveLength(1);
  },
);

test("on Windows the program refuses with one sentence that names WSL, and still prints its version", () => {
  const world = createCliWorld();
  const windows = world.write("windows.ts", `Object.defineProperty(process, "platform", { value: "win32" });\n`);
  const start = (...words: string[]) => {
    const command = [process.execPath, "--preload", windows, join(root, "src/main.ts"), ...words];
    const done = Bun.spawnSync(command, { cwd: world.project, env: world.env });
    return { exitCode: done.exitCode, stdout: done.stdout.toString(), stderr: done.stderr.toString() };
  };
  for (const words of [["sessions"], ["run", "ralph", "x"], ["--help"]]) {
    const done = start(...words);
    expect(done).toMatchObject({ exitCode: 1, stdout: "" });
    expect(done.stderr).toMatch(/^atomic: Windows is not supported yet\. Run Atomic in WSL .*\n$/);
  }
  expect(start("--version").exitCode).toBe(0);
});

test("a pipe in the place of a script, a recording or a file to record to is refused at once", async () => {
  const world = createCliWorld();
  const script = world.script("nothing", []);
  for (const name of ["pipe.json", "pipe.jsonl", "pipe.ts"])
    expect(Bun.spawnSync(["mkfifo", join(world.project, name)], { env: world.env }).exitCode).toBe(0);
  for (const [words, text] of [
    [["-a", "replay", "--script", "pipe.jsonl"], "is not a regular file"],
    [["-a", "scripted", "--script", "pipe.json"], "is not a regular file"],
    [["-a", "scripted", "--script", "pipe.ts"], "SCRIPT_INVALID"],
    [["-a", "scripted", "--script", script, "--record", "pipe.jsonl"], "that is a pipe"],
  ] as const) {
    const run = world.start(["run", "ralph", "Do it", ...words]);
    const late = Bun.sleep(30_000).then(() => run.signal("SIGKILL"));
    const ended = await Promise.race([run.ended, late.then(() => undefined)]);
    expect(ended?.stderr).toContain(text);
    expect(ended?.exitCode).toBeGreaterThan(0);
  }
});

test("a folder without a repository whose .gitignore is a pipe is still worked in", async () => {
  const world = createCliWorld();
  mkdirSync(join(world.project, "odd"));
  Bun.spawnSync(["mkfifo", join(world.project, "odd/.gitignore")], { env: world.env });
  const script = world.script("yolo", [{ steps: [{ bash: "touch worked" }, { say: "done\nCOMPLETE" }] }]);
  const run = world.start(["ralph", "--yolo", "Do it", "--script", script]);
  await poll(() => (existsSync(join(world.project, "worked")) ? true : undefined));
  expect((await run.ended).exitCode).toBe(0);
});
