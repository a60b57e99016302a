// A run is cancelled or forked by a process that is killed around each of its writes: the old run is whole, and what was
// begun is there as a whole or not at all.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredEvent } from "../../src/journal/port.ts";
import { AtomicError } from "../../src/lib/errors.ts";
import { SessionStore } from "../../src/workflows/sessions/session-store.ts";
import { graph } from "../../src/workflows/graph/build/builder.ts";
import { executeGraph } from "../../src/workflows/graph/run/execute.ts";
import { Effects } from "./matrix/effects.ts";
import { annotations, GraphKit } from "./matrix/graph-kit.ts";
import { waitNode } from "../../src/workflows/graph/nodes/wait.ts";
import { stillClock } from "./matrix/child.ts";
import type { Kill } from "./matrix/killing-store.ts";
import type { SteerTask } from "./matrix/steer-child.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-steering-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A run that waits: two nodes are done, one asks. */
async function waiting() {
  const dir = mkdtempSync(join(root, "runs-"));
  const kit = new GraphKit(new Effects(join(dir, "effects.jsonl")));
  const compiled = graph(annotations)
    .start(kit.say("a"))
    .then(kit.inSteps("b", ["one", "two"]))
    .then(waitNode({ id: "ask", prompt: "Go on?" }))
    .then(kit.say("c"))
    .compile();
  const run = crypto.randomUUID();
  const store = new SessionStore({ dir });
  const resume = (id: string) =>
    executeGraph(compiled, {
      journal: { store, run: id, resume: true },
      runtime: { clock: stillClock },
      answers: { ask: "yes" },
    });
  const paused = await executeGraph(compiled, { journal: { store, run }, runtime: { clock: stillClock } });
  expect(paused.status).toBe("paused");
  return { dir, run, store, resume };
}

async function eventsOf(store: SessionStore, run: string): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  try {
    for await (const event of store.read(run)) events.push(event);
  } catch (error) {
    if (!AtomicError.is(error, "RUN_NOT_FOUND")) throw error;
  }
  return events;
}

/** How many writes it made; undefined when it was killed. */
async function steer(task: SteerTask): Promise<number | undefined> {
  const child = Bun.spawn(
    [process.execPath, "--no-env-file", join(import.meta.dir, "matrix/steer-child.ts"), JSON.stringify(task)],
    { stdout: "pipe", stderr: "pipe", env: { PATH: "/usr/bin:/bin", HOME: root } },
  );
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (child.signalCode === "SIGKILL") return undefined;
  if (child.exitCode !== 0) throw new Error(errors);
  return Number(output);
}

/** Around each write of an undisturbed run of the action. */
async function killsOf(action: SteerTask["action"]): Promise<readonly Kill[]> {
  const { dir, run } = await waiting();
  const writes = (await steer({ action, dir, run, into: crypto.randomUUID(), from: "b" })) ?? 0;
  expect(writes).toBeGreaterThan(2);
  return Array.from({ length: writes }, (_, i) => i + 1).flatMap((write) => [
    { write, when: "before" as const },
    { write, when: "after" as const },
  ]);
}

describe("killed around each write,", () => {
  test("cancelling leaves a run that is cancelled or can be resumed and cancelled again", async () => {
    for (const kill of await killsOf("cancel")) {
      const { dir, run, store, resume } = await waiting();
      const before = await eventsOf(store, run);
      const task = { action: "cancel", dir, run, into: run, from: "" } as const;
      expect(await steer({ ...task, kill })).toBeUndefined();

      const after = await eventsOf(store, run);
      expect(after.slice(0, before.length)).toEqual([...before]);
      expect(after.length - before.length).toBeLessThan(2);
      await steer(task);
      const ends = (await eventsOf(store, run)).filter(({ type }) => type === "run.finished");
      expect(ends).toMatchObject([{ outcome: "cancelled" }]);
      const resumed = await resume(run).catch((error: unknown) => error);
      expect(AtomicError.is(resumed, "RUN_FINISHED")).toBe(true);
    }
  }, 120_000);

  test("forking leaves the old run as it was, and a fork that is whole or not there", async () => {
    for (const kill of await killsOf("fork")) {
      const { dir, run, store, resume } = await waiting();
      const before = await eventsOf(store, run);
      const into = crypto.randomUUID();
      expect(await steer({ action: "fork", dir, run, into, from: "b", kill })).toBeUndefined();

      expect(await eventsOf(store, run)).toEqual([...before]);
      const forked = await eventsOf(store, into);
      if (forked.length > 0) {
        expect(forked.at(-1)).toMatchObject({ type: "node.finished", node: "a" });
        expect((await resume(into)).status).toBe("completed");
      }
      expect((await resume(run)).status).toBe("completed");
    }
  }, 120_000);
});
