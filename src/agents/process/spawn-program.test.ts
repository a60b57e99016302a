import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import { eventually } from "../../testing/contracts/agent-harness.ts";
import { processesMarked } from "./process-group.ts";
import { markName } from "./host-record.ts";
import { createProcessRegistry } from "./process-registry.ts";
import { programVersion, requireVersion } from "./program-version.ts";
import { spawnProgram } from "./spawn-program.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-spawn-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"] ?? "" };
const folder = join(root, "pids");

async function bash(script: string) {
  return spawnProgram({
    file: "/bin/bash",
    args: ["-c", script],
    cwd: root,
    env,
    name: "test",
    registry: createProcessRegistry(folder),
    clock: systemClock,
  });
}

test("spawnProgram records the program while it runs and forgets it when it was stopped", async () => {
  const program = await bash("read line");
  const [file] = readdirSync(folder);
  expect(JSON.parse(readFileSync(join(folder, file as string), "utf8"))).toMatchObject({
    host: { pid: process.pid },
    children: [{ name: "test", identity: { pid: program.pid } }],
  });

  await program.stop(1000);

  expect(readdirSync(folder)).toEqual([]);
  expect(await program.exited).toEqual({ exitCode: undefined, signal: "SIGTERM" });
});

test("spawnProgram's stop ends a tool that ignores SIGTERM, and one that left the group", async () => {
  const program = await bash(`trap '' TERM; (trap '' TERM; sleep 301) & setsid sleep 302 & touch ${root}/ready; wait`);
  await eventually("it is ready", () => existsSync(join(root, "ready")));
  const mark =
    readFileSync(`/proc/${program.pid}/environ`, "latin1")
      .split("\0")
      .find((entry) => entry.startsWith(markName))
      ?.slice(markName.length + 1) ?? "";
  expect(processesMarked(markName, mark).length).toBeGreaterThanOrEqual(3);

  await program.stop(100);

  await eventually("none is left", () => processesMarked(markName, mark).length === 0);
});

test("spawnProgram ends what a program left that died by itself, and forgets it", async () => {
  const pidFile = join(root, "left");
  const program = await bash(`setsid sleep 303 >/dev/null 2>&1 </dev/null & echo $! > ${pidFile}; read line; exit 3`);
  await eventually("it wrote its pid", () => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"));
  const left = readFileSync(pidFile, "utf8").trim();
  expect(program.isAlive).toBe(true);

  program.stdin.write("go\n");

  expect(await program.exited).toMatchObject({ exitCode: 3 });
  expect(program.isAlive).toBe(false);
  await eventually(
    "its child is gone",
    () => !existsSync(`/proc/${left}`) || /\) [ZX]/.test(readFileSync(`/proc/${left}/stat`, "utf8")),
  );
  await eventually("its record is gone", () => readdirSync(folder).length === 0);
});

test("spawnProgram ends with its program although what that left behind holds the output open", async () => {
  const holders = [
    ["in its group", "sleep 304 &"],
    [
      "in its group, deaf to SIGTERM",
      "(trap '' TERM; touch deaf; sleep 305; sleep 305) & while ! test -e deaf; do :; done;",
    ],
    ["in a separate session", "setsid sleep 306 &"],
    ["in a separate session without the mark", "env -i setsid /bin/sleep 307 &"],
  ] as const;
  for (const [where, holder] of holders) {
    const pidFile = join(root, `holder-${where}`);
    const program = await bash(`${holder} echo $! > '${pidFile}'; echo said; exit 3`);
    let said = "";
    program.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));

    expect([where, await program.exited]).toEqual([where, { exitCode: 3, signal: undefined }]);

    expect(said).toBe("said\n");
    const holderPid = Number(readFileSync(pidFile, "utf8"));
    // One that escaped can't be found; it is just not waited for.
    if (where.endsWith("mark")) process.kill(holderPid, "SIGKILL");
    await eventually(`${where}: it is gone`, () => !isRunning(holderPid));
  }
});

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

test("spawnProgram reads everything that a program wrote before it ended beside a process that holds its output", async () => {
  const program = await bash("sleep 308 & head -c 3000000 /dev/zero | tr '\\0' x; exit 0");
  let chars = 0;
  program.stdout.setEncoding("utf8").on("data", (text: string) => (chars += text.length));

  await program.exited;

  expect(chars).toBe(3_000_000);
});

test("spawnProgram keeps the end of stderr and the exit code of a program that dies", async () => {
  const program = await bash("head -c 100000 /dev/zero | tr '\\0' x >&2; echo the end >&2; exit 9");

  expect(await program.exited).toEqual({ exitCode: 9, signal: undefined });
  expect(program.stderr()).toEndWith("the end\n");
  expect(program.stderr().length).toBeLessThanOrEqual(8192);
  await program.stop(100);
});

test("spawnProgram refuses what can't be started and leaves no record", async () => {
  const start = spawnProgram({
    file: join(root, "missing"),
    args: [],
    cwd: root,
    env,
    name: "gone",
    registry: createProcessRegistry(folder),
    clock: systemClock,
  });

  await expect(start).rejects.toMatchObject({ code: "AGENT_UNAVAILABLE" });
  expect(readdirSync(folder)).toEqual([]);
});

test("programVersion finds the number in what a program prints, and refuses garbage, failure and silence", async () => {
  const ask = (script: string) => programVersion("/bin/bash", { env, cwd: root, args: ["-c", script], limitMs: 500 });

  expect(await ask("echo '2.1.3 (Claude Code)'")).toBe("2.1.3");
  expect(await ask("echo 'GitHub Copilot CLI 1.0.52-beta.1.'")).toStartWith("1.0.52");
  await expect(ask("head -c 3000 /dev/urandom")).rejects.toMatchObject({ code: "AGENT_UNAVAILABLE" });
  await expect(ask("echo 1.2.3; exit 1")).rejects.toThrow("exit code 1");
  await expect(ask("exec sleep 60")).rejects.toThrow("no answer within 500 ms");
});

test("programVersion takes the answer of a program that left a process behind", async () => {
  const args = ["-c", "sleep 309 & echo 1.2.3"];
  expect(await programVersion("/bin/bash", { env, cwd: root, args, limitMs: 60_000 })).toBe("1.2.3");
});

test("requireVersion refuses an older program and says how to update it", () => {
  const program = { name: "opencode", path: "/x", minimum: "1.18.0", install: "npm i -g opencode-ai" };
  requireVersion({ ...program, version: "1.18.0" });
  expect(() => requireVersion({ ...program, version: "1.9.9" })).toThrow(/1\.9\.9, and at least 1\.18\.0.*npm i -g/);
});
