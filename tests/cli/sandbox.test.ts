// `--sandbox` as a user meets it where no sandbox can be made, and what is recorded of the mode. What a sandbox holds
// back is tested where one can be installed: tests/agents/sandbox.agents.ts.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const script = world.script("hello.json", [{ match: "", steps: [{ say: "Hello.\nCOMPLETE" }] }]);
const ralph = ["ralph", "--yolo", "say hello", "-a", "scripted", "--script", script];
/** A PATH on which there is no bubblewrap, whatever is installed. */
const without = { PATH: "/nonexistent" };
const runs = (): readonly string[] =>
  existsSync(world.sessions) ? readdirSync(world.sessions).filter((name) => !name.startsWith(".")) : [];

test("a sandbox that can't be made is refused in one sentence that says what to install, and nothing runs", async () => {
  for (const mode of ["worktree", "strict"]) {
    const { exitCode, stdout, stderr } = await world.run([...ralph, "--sandbox", mode], { env: without });
    expect(exitCode).toBe(1);
    expect(stdout).toBe("");
    expect(stderr.trim()).toMatch(
      new RegExp(`^atomic: SANDBOX_UNAVAILABLE: --sandbox ${mode} can't be used: bubblewrap is not installed: .+\\.$`),
    );
  }
  expect(runs()).toEqual([]);
});

test("the setting and its variable count for every run, and a flag counts more", async () => {
  const refused = await world.run(ralph, { env: { ...without, ATOMIC_SANDBOX: "worktree" } });
  expect(refused.stderr).toContain("SANDBOX_UNAVAILABLE");
  const off = await world.run([...ralph, "--sandbox", "off"], { env: { ...without, ATOMIC_SANDBOX: "worktree" } });
  expect(off.exitCode).toBe(0);
  expect(off.stderr).toContain(", sandbox off\n");
});

test("a project can't switch the sandbox off or choose what it allows", async () => {
  world.write("project/.atomic/settings.json", { sandbox: { mode: "off", write: "/", hosts: "example.com" } });
  const run = await world.run(ralph, { env: { ...without, ATOMIC_SANDBOX: "strict" } });
  expect(run.stderr).toContain("SANDBOX_UNAVAILABLE");
  for (const key of ["sandbox.mode", "sandbox.write", "sandbox.hosts"])
    expect(run.stderr).toContain(`A project may not set "${key}"`);
});

test("a mode that does not exist is named", async () => {
  const { exitCode, stderr } = await world.run([...ralph, "--sandbox", "container"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--sandbox must be one of off, worktree, strict, is "container".');
});

test("doctor says that no sandbox is available, and fails where the settings ask for one", async () => {
  const plain = await world.run(["doctor"], { env: without });
  expect(plain.stdout).toMatch(/ok +sandbox +off, and not available here\n +bubblewrap is not installed/);
  const asked = await world.run(["doctor"], { env: { ...without, ATOMIC_SANDBOX: "strict" } });
  expect(asked.exitCode).toBe(1);
  expect(asked.stdout).toMatch(/error +sandbox +sandbox\.mode is strict, so nothing runs\./);
});
