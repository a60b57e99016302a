// Completion, asked as the shells' scripts ask, and through bash itself.

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
world.workflow(
  "shipit",
  `import { createNode, graph } from "atomic/workflows";
export const name = "shipit";
export const description = "Ships";
export const prompt = "none";
export const options = { fast: { type: "boolean", default: false, description: "quickly" } };
export default () => graph().start(createNode({ id: "only", execute: async () => ({}) }));
`,
);

async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await world.run(["__complete", ...words]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout === ""
    ? []
    : stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t")[0] ?? "");
}

test("commands, subcommands, options, values and names are offered", async () => {
  expect(await offered("sess")).toEqual(["sessions"]);
  expect(await offered("sessions", "")).toContain("transcript");
  expect(await offered("sessions", "prune", "--o")).toEqual(["--older-than"]);
  expect(await offered("run", "ship")).toEqual(["shipit"]);
  expect(await offered("run", "shipit", "--max-c")).toEqual(["--max-cost"]);
  expect(await offered("run", "shipit", "--agent", "op")).toEqual(["opencode"]);
  expect(await offered("run", "shipit", "--fa")).toEqual(["--fast"]);
  expect(await offered("ralph", "--work")).toEqual(["--workers"]);
  expect(await offered("run", "ralph", "--yolo", "--max-t")).toEqual(["--max-tries", "--max-tokens"]);
  expect(await offered("resume", "@")).toEqual(["@last"]);
  expect(await offered("config", "get", "limits.maxC")).toEqual(["limits.maxCost"]);
  expect(await offered("completion", "f")).toEqual(["fish"]);
  expect(await offered("nothing", "")).toEqual([]);

  await world.run(["run", "shipit"]);
  const id = world.onlyRun();
  expect(await offered("resume", id.slice(0, 4))).toEqual([id]);
  expect(await offered("sessions", "show", "")).toEqual([id]);
});

test("a broken settings file prints nothing into the line", async () => {
  world.write("home/.atomic/settings.json", "{ broken");
  expect(await offered("resume", "")).toEqual([]);
  expect(await offered("config", "get", "agen")).toContain("agent");
  world.write("home/.atomic/settings.json", "{}");
});

test("bash completes a workflow's name", async () => {
  const bin = join(world.root, "bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(world.program, join(bin, "atomic"));
  const lines = [
    'eval "$(atomic completion bash)"',
    "COMP_WORDS=(atomic run shi); COMP_CWORD=2; _atomic",
    'echo "<${COMPREPLY[*]}>"',
  ];
  const shell = Bun.spawn(["bash", "--norc", "-c", lines.join("\n")], {
    cwd: world.project,
    env: { ...world.env, PATH: `${bin}:${world.env["PATH"] ?? ""}` },
    stdout: "pipe",
  });
  expect(await new Response(shell.stdout).text()).toBe("<shipit>\n");
});

test("an unknown shell is refused", async () => {
  const { exitCode, stderr } = await world.run(["completion", "tcsh"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Known: bash, zsh, fish, powershell.");
});
