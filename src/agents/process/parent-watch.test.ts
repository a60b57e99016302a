import { afterAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identityOf } from "../../lib/process-identity.ts";
import { eventually } from "../../testing/contracts/agent-harness.ts";
import { createProcessRegistry } from "./process-registry.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-watch-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const here = import.meta.dirname;
const host = join(root, "host.ts");
writeFileSync(
  host,
  `import { spawnProgram } from "${here}/spawn-program.ts";
   import { createProcessRegistry } from "${here}/process-registry.ts";
   import { systemClock } from "${here}/../../lib/clock.ts";
   const [records, command, folder] = process.argv.slice(2);
   await spawnProgram({ file: "/bin/bash", args: ["-c", command], cwd: "/", env: { PATH: process.env.PATH }, name: 'agent "mark":"{', folder, registry: createProcessRegistry(records), clock: systemClock });
   setInterval(() => {}, 1000);`,
);

/** Runs the command as a program of a host, kills the host as soon as the command has written its pids, gives those. */
async function killHost(name: string, command: (out: string) => string, folder?: string): Promise<readonly number[]> {
  const out = join(root, name);
  const words = [host, join(root, `it's ${name}`), `${command(`${out}.tmp`)}; mv ${out}.tmp ${out}; wait`];
  const child = spawn(process.execPath, [...words, ...(folder === undefined ? [] : [folder])], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: "ignore",
  });
  await eventually("the program runs", () => existsSync(out));
  child.kill("SIGKILL");
  return readFileSync(out, "utf8").trim().split(" ").map(Number);
}

const isAlive = (pid: number): boolean => identityOf(pid) !== undefined;

test("a program, its tool, and a tool that left its group end with a host that is killed", async () => {
  const pids = await killHost("plain", (out) => `sleep 321 & a=$!; setsid sleep 322 & echo $$ $a $! > ${out}`);
  expect(pids).toHaveLength(3);
  await eventually("all of them are gone", () => !pids.some(isAlive));
});

test("a program that does not heed SIGTERM is killed after a while", async () => {
  const pids = await killHost("deaf", (out) => `trap '' TERM; sleep 323 & echo $$ $! > ${out}`);
  await eventually("both are gone", () => !pids.some(isAlive));
});

test("the temporary folder of a program goes with it, and no other folder does", async () => {
  const [own, other] = [join(root, "atomic-opencode-Ab3dEf"), join(root, "precious")];
  for (const folder of [own, other]) mkdirSync(folder);
  const pids = await killHost("own", (out) => `sleep 324 & echo $$ > ${out}`, own);
  await eventually("its folder is gone", () => !pids.some(isAlive) && !existsSync(own));
  const others = await killHost("other", (out) => `sleep 325 & echo $$ > ${out}`, other);
  await eventually("the program is gone", () => !others.some(isAlive));
  await eventually("the watcher is gone", () => watchersOf("it's other").length === 0);
  expect(existsSync(other)).toBe(true);
});

test("a watcher leaves when the last program of its folder has ended, and comes again with the next one", async () => {
  const registry = createProcessRegistry(join(root, "records"));
  for (let i = 0; i < 2; i++) {
    const [first, second] = [registry.register("one"), registry.register("two")];
    await eventually("one watcher is there", () => watchersOf("records").length === 1);
    first.ended();
    second.ended();
    await eventually("it has left", () => watchersOf("records").length === 0);
  }
});

function watchersOf(name: string): readonly string[] {
  const encoded = [...Buffer.from(join(root, name))].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(encoded);
    } catch {
      return false;
    }
  });
}
