// `atomic cancel ID`, for a run in every state: live in another process, waiting, paused, killed, failed, over, unknown.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
world.workflow(
  "ask",
  `import { askUserNode, graph } from "atomic/workflows";
export const name = "ask";
export const description = "Asks";
export const prompt = "none";
export default () => graph().start(askUserNode({ id: "colour", question: "Which colour?" }));
`,
);
world.workflow(
  "fails",
  `import { createNode, graph } from "atomic/workflows";
export const name = "fails";
export const description = "Fails";
export const prompt = "none";
export default () => graph().start(createNode({ id: "work", execute: async () => { throw new Error("no luck"); } }));
`,
);
const nothing = world.script("nothing", [{ steps: [{ say: "ok" }] }]);
const endless = world.script("endless", [
  { steps: [{ bash: "echo $$ > child.pid; while :; do sleep 0.05; done" }, { say: "never" }] },
]);

const idIn = (text: string): string => /session: ([0-9a-f-]{36})/.exec(text)?.[1] ?? "";

async function logsOf(id: string) {
  const logs = await world.run(["sessions", "logs", id, "--json"]);
  return logs.events();
}

async function cancelled(id: string): Promise<void> {
  const cancel = await world.run(["cancel", id]);
  expect(cancel.stderr).toBe("");
  expect(cancel.stdout).toContain(`session: ${id}`);
  expect(cancel.exitCode).toBe(0);
  expect((await logsOf(id)).at(-1)).toMatchObject({ type: "run.finished", outcome: "cancelled" });
  expect(JSON.parse(world.read(`home/.atomic/workflows/sessions/${id}/session.json`))).toMatchObject({
    status: "failed",
  });

  const resumed = await world.run(["resume", id]);
  expect(resumed.exitCode).toBe(1);
  expect(resumed.stderr).toContain("cancelled");

  const again = await world.run(["cancel", id]);
  expect(again.exitCode).toBe(0);
  expect(again.stderr).toContain("already cancelled");
}

test("a run that waits for a user is cancelled, and never resumed", async () => {
  const run = await world.run(["run", "ask", "--script", nothing]);
  expect(run.exitCode).toBe(4);
  await cancelled(idIn(run.stderr));
});

test("a run in another process stops, its agent's programs end, and its own exit says that it was cancelled", async () => {
  const live = world.start(["ralph", "--yolo", "work", "--script", endless]);
  const id = idIn(await live.seen("session: "));
  const pid = await poll(() => {
    const file = join(world.project, "child.pid");
    return existsSync(file) ? Number(world.read("project/child.pid")) || undefined : undefined;
  });

  await cancelled(id);

  const { exitCode, stderr } = await live.ended;
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`Cancelled Ralph session: ${id}`);
  expect(() => process.kill(pid, 0)).toThrow();
});

test("a paused run is cancelled", async () => {
  const live = world.start(["ralph", "--yolo", "work", "--script", endless]);
  const id = idIn(await live.seen("session: "));
  expect((await world.run(["pause", id])).exitCode).toBe(0);
  await live.ended;
  await cancelled(id);
});

test("a killed run is cancelled, and what it left running ends", async () => {
  const live = world.start(["ralph", "--yolo", "work", "--script", endless]);
  const id = idIn(await live.seen("session: "));
  await poll(async () => (await logsOf(id)).some(({ type }) => type === "agent.turn-started") || undefined);
  live.signal("SIGKILL");
  await live.ended;
  await cancelled(id);
});

test("a failed run is cancelled: it can't be retried any more", async () => {
  const run = await world.run(["run", "fails", "--script", nothing]);
  expect(run.exitCode).toBe(1);
  await cancelled(idIn(run.stderr));
});

test("a completed run has nothing to cancel, and an unknown one is not found", async () => {
  const done = await world.run(["run", "ask", "--script", nothing, "--answer", "Which colour?=red"]);
  const id = idIn(done.stderr);

  const over = await world.run(["cancel", id]);
  expect(over.exitCode).toBe(1);
  expect(over.stderr).toContain("already completed");
  expect((await logsOf(id)).at(-1)).toMatchObject({ outcome: "completed" });

  const unknown = await world.run(["cancel", crypto.randomUUID()]);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toContain("RUN_NOT_FOUND");
  expect((await world.run(["cancel", "../x"])).stderr).toContain("RUN_ID_INVALID");
});
