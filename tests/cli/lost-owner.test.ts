// A run that gets another owner while its process is in the middle of a long turn: the process is notified, stops what
// its agent does, and leaves the run and its files alone.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SessionStore } from "../../src/workflows/sessions/session-store.ts";
import { createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

test("a process whose run was taken over in the middle of a turn stops its agent, says so and exits 1", async () => {
  const world = createCliWorld();
  const pidFile = join(world.project, "tool.pid");
  const script = world.script("s", [{ steps: [{ bash: "echo $$ > tool.pid; sleep 300" }, { say: "done" }] }]);
  world.workflow(
    "long",
    `import { graph, agentNode } from "atomic/workflows";
export const name = "long";
export const description = "One long turn";
export default () => graph().start(agentNode({ id: "work", prompt: "go" }));
`,
  );
  const run = world.start(["run", "long", "x", "-a", "scripted", "--script", script]);
  const tool = Number(
    await poll(() => (existsSync(pidFile) ? readFileSync(pidFile, "utf8").trim() || undefined : undefined)),
  );
  const id = world.onlyRun();
  const shown = join(world.sessions, id, "session.json");
  await poll(() => (existsSync(shown) ? true : undefined));

  const store = new SessionStore({ dir: world.sessions });
  const taken = await store.open(id, { mode: "resume", takeOver: true });
  const before = taken.lastSeq;
  const ended = await run.ended;

  expect(ended.exitCode).toBe(1);
  expect(ended.stderr).toContain("OWNER_LOST");
  expect(ended.stderr).toContain(`atomic sessions show ${id}`);
  await poll(() => (isAlive(tool) ? undefined : true));
  expect((await store.info(id)).lastSeq).toBe(before);
  expect(readFileSync(shown, "utf8")).toContain('"status": "running"');
  await store.close();
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
