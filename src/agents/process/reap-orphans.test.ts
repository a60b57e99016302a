import { afterAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import { currentProcess, identityOf } from "../../lib/process-identity.ts";
import { eventually } from "../../testing/contracts/agent-harness.ts";
import { endProcess } from "./process-group.ts";
import { createProcessRegistry } from "./process-registry.ts";
import { reapOrphans } from "./reap-orphans.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-reap-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"] ?? "" };
let folders = 0;
const newFolder = (): string => join(root, `pids${++folders}`);
const isAlive = (pid: number): boolean => identityOf(pid) !== undefined;
const reap = (folder: string) => reapOrphans({ folder, clock: systemClock, graceMs: 300 });

/** A host that starts a program with a tool, writes their pids and is killed as kill -9 does. */
async function killedHost(folder: string): Promise<readonly number[]> {
  const script = join(root, "host.ts");
  const here = import.meta.dirname;
  writeFileSync(
    script,
    `import { spawnProgram } from "${here}/spawn-program.ts";
     import { createProcessRegistry } from "${here}/process-registry.ts";
     import { systemClock } from "${here}/../../lib/clock.ts";
     const [folder, out] = process.argv.slice(2);
     await spawnProgram({ file: "/bin/bash", args: ["-c", "setsid sleep 311 & echo $$ $! > " + out + ".tmp; mv " + out + ".tmp " + out + "; wait"], cwd: "/", env: { PATH: process.env.PATH }, name: "agent", registry: createProcessRegistry(folder, { watch: null }), clock: systemClock });
     setInterval(() => {}, 1000);`,
  );
  const out = join(root, `pids-${folders}.txt`);
  const host = spawn(process.execPath, [script, folder, out], { env, stdio: "ignore" });
  await eventually("the host wrote the pids", () => existsSync(out));
  await eventually("the record is whole", () =>
    readdirSync(folder).some(
      (name) => name.endsWith(".json") && readFileSync(join(folder, name), "utf8").includes('"identity"'),
    ),
  );
  host.kill("SIGKILL");
  await eventually("the host is gone", () => host.signalCode !== null);
  return readFileSync(out, "utf8").trim().split(" ").map(Number);
}

test("reapOrphans ends the program and the tool of a host that was killed, and removes the record", async () => {
  const folder = newFolder();
  const pids = await killedHost(folder);
  expect(pids.every(isAlive)).toBe(true);

  const reaped = await reap(folder);

  await eventually("both are gone", () => !pids.some(isAlive));
  expect(new Set(reaped.map(({ pid }) => pid))).toEqual(new Set(pids));
  expect(readdirSync(folder)).toEqual([]);
});

test("reapOrphans leaves the children of a living host alone", async () => {
  const folder = newFolder();
  const child = spawn("sleep", ["312"], { env, stdio: "ignore" });
  const pid = child.pid as number;
  record(folder, currentProcess(), identityOf(pid));

  expect(await reap(folder)).toEqual([]);

  expect(isAlive(pid)).toBe(true);
  expect(readdirSync(folder)).toHaveLength(1);
  endProcess(pid, "SIGKILL");
});

test("reapOrphans leaves a process alone that only has the pid of one on record", async () => {
  const folder = newFolder();
  const child = spawn("sleep", ["313"], { env, stdio: "ignore" });
  const pid = child.pid as number;
  record(folder, { ...currentProcess(), started: "1" }, { ...currentProcess(), pid, started: "2" });

  expect(await reap(folder)).toEqual([]);

  expect(isAlive(pid)).toBe(true);
  endProcess(pid, "SIGKILL");
});

test("reapOrphans leaves records alone that it can't read or that are of another machine", async () => {
  const folder = newFolder();
  record(folder, { ...currentProcess(), machine: "another", boot: "another", started: "1" }, undefined);
  writeFileSync(join(folder, `${crypto.randomUUID()}.json`), '{"version":1,"host":');
  writeFileSync(join(folder, `${crypto.randomUUID()}.json`), '{"version":2}');

  expect(await reap(folder)).toEqual([]);
  expect(readdirSync(folder)).toHaveLength(3);
  expect(await reap(join(root, "no-such-folder"))).toEqual([]);
});

function record(folder: string, host: unknown, identity: unknown): void {
  mkdirSync(folder, { recursive: true });
  const children = [{ mark: crypto.randomUUID(), name: "x", isLeader: true, identity }];
  writeFileSync(join(folder, `${crypto.randomUUID()}.json`), JSON.stringify({ version: 1, host, children }));
}

test("a record that can't be written any more does not break the listener for a program's end", () => {
  const folder = newFolder();
  const child = createProcessRegistry(folder).register("agent");
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "in the way");

  child.started(process.pid);
  child.ended();
  expect(readFileSync(folder, "utf8")).toBe("in the way");
});
