// What goes where: results on standard output, progress and everything that workflow code prints on standard error.

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const loud = world.workflow(
  "loud",
  `import { execSync } from "node:child_process";
import { writeSync } from "node:fs";
import { stdout } from "node:process";
import { askUserNode, createNode, graph } from "atomic/workflows";
console.log("noise: top level");
export const name = "loud";
export const description = "Prints in every way there is";
export const prompt = "none";
const say = createNode({ id: "say", execute: async () => {
  console.log("noise: log");
  console.info("noise: info");
  console.table([{ noise: "table" }]);
  process.stdout.write("noise: stream\\n");
  stdout.write("noise: imported stream\\n");
  writeSync(1, "noise: descriptor\\n");
  await Bun.write(Bun.stdout, "noise: Bun\\n");
  execSync("echo noise: child", { stdio: "inherit" });
  return { stateUpdate: { outputs: { say: "the result" } } };
} });
export default () => { console.log("noise: factory"); return graph().start(say).then(askUserNode({ id: "sure", question: "Sure?" })); };
`,
);
const nothing = world.script("nothing", [{ steps: [{ say: "ok" }] }]);
const noises = ["top level", "factory", "log", "info", "stream", "imported stream", "descriptor", "Bun", "child"];

function expectNoise(stderr: string, expected: readonly string[]): void {
  for (const noise of expected) expect(stderr).toContain(`noise: ${noise}\n`);
}

test("with --json, standard output holds events only, whatever a workflow prints", async () => {
  const run = await world.run(["run", "loud", "--script", nothing, "--json"]);
  const events = run.events();
  expect(run.exitCode).toBe(4);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  expectNoise(run.stderr, noises);

  const resumed = await world.run(["resume", events[0]?.runId ?? "", "--json", "--answer", "Sure?=yes"]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.events().at(-1)).toMatchObject({ type: "run.finished", outcome: "completed" });
  expectNoise(resumed.stderr, ["top level", "factory"]);
});

test("other commands that load a workflow keep their JSON whole too", async () => {
  for (const words of [
    ["workflows", "graph", "loud", "--json"],
    ["workflows", "validate", "loud", "--json"],
    ["test", loud, "--script", nothing, "--answer", "Sure?=yes", "--json"],
  ]) {
    const run = await world.run(words);
    expect([words, run.exitCode]).toEqual([words, 0]);
    expect(() => JSON.parse(run.stdout) as unknown).not.toThrow();
    expectNoise(run.stderr, words[0] === "test" ? noises : ["top level"]);
  }
});

test("without --json, standard output holds the result and standard error the progress; --quiet leaves that out", async () => {
  const words = ["run", "loud", "--script", nothing, "--answer", "Sure?=yes"];
  const run = await world.run(words);
  expect(run).toMatchObject({ exitCode: 0, stdout: "say:\nthe result\n\nsure:\nyes\n" });
  expect(run.stderr).toContain("Started Loud session: ");
  expect(run.stderr).toContain("Completed: ");

  const quiet = await world.run([...words, "--quiet"]);
  expect(quiet).toMatchObject({ exitCode: 0, stdout: run.stdout });
  expect(quiet.stderr.split("\n").filter((line) => line !== "" && !/noise|─|│/.test(line))).toEqual([]);

  const paused = await world.run(["run", "loud", "--script", nothing, "--quiet"]);
  expect(paused).toMatchObject({ exitCode: 4, stdout: "" });
  expect(paused.stderr).toContain("It asks: Sure?");
  const id = /Resume with: atomic resume (\S+)/.exec(paused.stderr)?.[1] ?? "";
  const resumed = await world.run(["resume", id, "--quiet", "--answer", "Sure?=no"]);
  expect(resumed).toMatchObject({ exitCode: 0, stdout: "say:\nthe result\n\nsure:\nno\n" });
});

test("a report goes to standard output, whole", async () => {
  world.workflow(
    "reports",
    `import { createNode, graph } from "atomic/workflows";
export const name = "reports";
export const description = "Writes a report";
export const prompt = "none";
export default () => graph().start(createNode({ id: "end", execute: async (ctx) => {
  ctx.record({ type: "report.written", report: { notes: ["all is well"] } });
  return {};
} }));
`,
  );
  const run = await world.run(["run", "reports", "--script", nothing, "--quiet"]);
  expect(run).toMatchObject({ exitCode: 0, stdout: "Report\n  all is well\n", stderr: "" });
});

test("a program that a workflow leaves running does not keep standard output open", async () => {
  world.workflow(
    "leaves",
    `import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createNode, graph } from "atomic/workflows";
export const name = "leaves";
export const description = "Leaves a program running";
export const prompt = "none";
export default () => graph().start(createNode({ id: "leave", execute: async () => {
  const child = spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "ignore"], detached: true });
  child.unref();
  writeFileSync("pid.txt", String(child.pid));
  return { stateUpdate: { outputs: { leave: "left" } } };
} }));
`,
  );
  const child = Bun.spawn(["/bin/sh", "-c", `'${world.program}' run leaves --script '${nothing}' 2>/dev/null | cat`], {
    cwd: world.project,
    env: world.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  try {
    expect(await new Response(child.stdout).text()).toBe("left\n");
  } finally {
    process.kill(Number(world.read("project/pid.txt")), "SIGKILL");
  }
});

test("without a standard error the result still comes through alone", async () => {
  const command = `'${world.program}' run loud --script '${nothing}' --answer 'Sure?=yes' --quiet 2>&-`;
  const child = Bun.spawn(["/bin/sh", "-c", command], {
    cwd: world.project,
    env: world.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  expect(await new Response(child.stdout).text()).toBe("say:\nthe result\n\nsure:\nyes\n");
});

test("where the C library can't be used, what JavaScript prints still goes to standard error", async () => {
  const program = world.write(
    "fallback.ts",
    `import { claimOutput } from ${JSON.stringify(join(import.meta.dir, "../../src/cli/claim-output.ts"))};
const fd = claimOutput(null);
console.log("noise: log");
process.stdout.write("noise: stream\\n");
require("node:fs").writeSync(fd, "result\\n");
`,
  );
  const child = Bun.spawn([process.execPath, program], { env: world.env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(out).toBe("result\n");
  expectNoise(err, ["log", "stream"]);
});
