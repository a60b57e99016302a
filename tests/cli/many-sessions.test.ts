// More runs than files may be open: listing, showing and resuming look at all of them, and never take a limit of this
// process for damage of a run.

import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const root = join(import.meta.dir, "../..");

/** Two runs that wait, made by the program; the rest are copies of the first, each a minute older than the one before. */
async function makeWorld(copies: number): Promise<CliWorld & { readonly oldest: string; readonly newest: string }> {
  const world = createCliWorld();
  world.workflow(
    "ask",
    `import { askUserNode, graph } from "atomic/workflows";
export const name = "ask";
export const description = "Asks";
export const prompt = "none";
export default () => graph().start(askUserNode({ id: "sure", question: "Sure?" }));
`,
  );
  const script = world.script("nothing", []);
  const [first, newest] = [
    (await world.run(["run", "ask", "--script", script, "--json"])).events()[0]?.runId ?? "",
    (await world.run(["run", "ask", "--script", script, "--json"])).events()[0]?.runId ?? "",
  ];
  let oldest = first;
  for (let i = 1; i <= copies; i++) {
    oldest = crypto.randomUUID();
    cpSync(join(world.sessions, first), join(world.sessions, oldest), { recursive: true });
    const database = new Database(join(world.sessions, oldest, "journal.sqlite"));
    database.run("UPDATE runs SET run = ?", [oldest]);
    database.run("UPDATE appends SET at = at - ?", [i * 60_000]);
    database.close();
  }
  return { ...world, oldest, newest };
}

function limited(world: CliWorld, handles: number, words: readonly string[]) {
  const command = `ulimit -n ${handles}; exec '${world.program}' ${words.join(" ")}`;
  const { exitCode, stdout, stderr } = Bun.spawnSync(["/bin/sh", "-c", command], {
    cwd: world.project,
    env: world.env,
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

test("100 runs and 64 files: all are read, the newest is the newest, and it is the one that is resumed", async () => {
  const world = await makeWorld(100);
  const all = limited(world, 64, ["sessions", "--json", "--all"]);
  const listed = JSON.parse(all.stdout) as { id: string; status: string }[];
  expect(all).toMatchObject({ exitCode: 0, stderr: "" });
  expect(listed).toHaveLength(102);
  expect(new Set(listed.map(({ status }) => status))).toEqual(new Set(["paused"]));
  expect(listed[0]?.id).toBe(world.newest);
  expect(listed.at(-1)?.id).toBe(world.oldest);

  expect(limited(world, 64, ["sessions", "show"]).stdout).toContain(`Ask session: ${world.newest}`);
  const resumed = limited(world, 64, ["resume", "@last", "--answer", "Sure?=yes"]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.stderr).toContain(`Resumed Ask session: ${world.newest}`);
});

test("a process without a file left to open says so, and calls no run unreadable", async () => {
  // More than the connections that are kept open for a moment.
  const world = await makeWorld(8);
  const program = world.write(
    "exhausted.ts",
    `import { openSync } from "node:fs";
import { createRunReader } from ${JSON.stringify(join(root, "src/app/runs-read.ts"))};
import { systemClock } from ${JSON.stringify(join(root, "src/lib/clock.ts"))};
import { SessionStore } from ${JSON.stringify(join(root, "src/workflows/sessions/session-store.ts"))};
// At this time no journal counts as unchanged for a second, so that no summary is kept, which a list would take instead.
const clock = { ...systemClock, now: () => 0 };
const reader = createRunReader(new SessionStore({ dir: ${JSON.stringify(world.sessions)} }), clock);
// Everything is loaded by now, and one handle is left for the folder itself.
console.log((await reader.list()).runs.map(({ status }) => status).join(" "));
const open = [];
try { for (;;) open.push(openSync("/dev/null", "r")); } catch (error) { console.log(error.code); }
require("node:fs").closeSync(open.pop());
for (const ask of [() => reader.list(), () => reader.newest(${JSON.stringify(world.project)}, "any")])
  await ask().then((answer) => console.log("answered", JSON.stringify(answer)), (error) => console.log(error.code, error.retryable));
`,
  );
  const command = `ulimit -n 64; exec '${process.execPath}' '${program}'`;
  const run = Bun.spawnSync(["/bin/sh", "-c", command], { cwd: world.project, env: world.env });

  expect(run.stderr.toString()).toBe("");
  expect(run.stdout.toString().split("\n")).toEqual([
    Array.from({ length: 10 }, () => "paused").join(" "),
    "EMFILE",
    "TOO_MANY_OPEN_FILES true",
    "TOO_MANY_OPEN_FILES true",
    "",
  ]);
});
