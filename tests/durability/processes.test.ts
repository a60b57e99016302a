// A run in one process, seen and steered from another: who owns it, what it does now, and what others ask of it.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalStore, StoredEvent } from "../../src/journal/port.ts";
import { goFile, type LiveTask, ranFile } from "./live/child.ts";
import { type LiveMessage, LiveProcess } from "./live/live-process.ts";
import { openStore, runId } from "./matrix/child.ts";
import { storeNames } from "./matrix/matrix.ts";

const timeoutMs = 60_000;

describe.each(storeNames)("a run on %s", (name) => {
  let folder: string;
  let store: JournalStore;
  let started: LiveProcess[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "atomic-live-"));
    store = openStore(name, folder);
    started = [];
  });

  afterEach(async () => {
    for (const child of started) await child.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (task: Partial<LiveTask> & Pick<LiveTask, "graph">): LiveProcess => {
    const child = new LiveProcess({ store: name, folder, resume: false, ...task });
    started.push(child);
    return child;
  };
  const go = (): void => writeFileSync(goFile(folder), "");
  const ran = (): string[] =>
    existsSync(ranFile(folder)) ? readFileSync(ranFile(folder), "utf8").trim().split("\n") : [];
  /** The body of `gate` runs, and not only its record is there. */
  const inGate = async (child: LiveProcess): Promise<void> => {
    await child.until(atGate);
    while (!ran().includes("gate")) await Bun.sleep(2);
  };
  const atGate = ({ began, refused }: LiveMessage): boolean => began === "gate" || refused !== undefined;

  test(
    "belongs to one of several processes that resume it; the others learn which one",
    async () => {
      const first = start({ graph: "gated" });
      await inGate(first);
      await first.kill();

      const rivals = Array.from({ length: 3 }, () => start({ graph: "gated", resume: true }));
      const answers = await Promise.all(rivals.map((rival) => rival.until(atGate)));

      const winner = rivals[answers.findIndex(({ began }) => began === "gate")];
      expect(answers.filter(({ began }) => began === "gate").length).toBe(1);
      for (const { refused, message } of answers.filter(({ began }) => began === undefined)) {
        expect(refused).toBe("RUN_OWNED");
        expect(message).toMatch(new RegExp(`process ${winner?.pid}\\b.*Pause it first`));
      }
      go();
      expect(await winner?.end()).toMatchObject({ ended: "completed", log: ["a", "gate", "b"] });
      expect(ran()).toEqual(["a", "gate", "gate", "b"]);
    },
    timeoutMs,
  );

  test(
    "is followed live from another process, to its end",
    async () => {
      const child = start({ graph: "gated" });
      await child.until(atGate);
      const seen: StoredEvent[] = [];
      const stop = new AbortController();
      for await (const event of store.follow(runId, { signal: stop.signal })) {
        seen.push(event);
        // What comes now is seen while it happens: nothing after this has been yet.
        if (event.type === "node.started" && event["node"] === "gate") go();
        if (event.type === "run.finished") break;
      }

      expect(seen.map(({ type, node }) => `${type} ${(node ?? "") as string}`.trim())).toEqual([
        "run.started",
        "node.started a",
        "node.finished a",
        "node.started gate",
        "node.finished gate",
        "node.started b",
        "node.finished b",
        "run.finished",
      ]);
      expect(await child.end()).toMatchObject({ ended: "completed" });
    },
    timeoutMs,
  );

  test(
    "pauses when another process asks it to, and resumes from there later",
    async () => {
      const child = start({ graph: "gated" });
      await inGate(child);
      await store.request(runId, { type: "pause" });
      expect(await child.end()).toMatchObject({ ended: "paused", reason: "paused", log: ["a"] });

      go();
      expect(await start({ graph: "gated", resume: true }).end()).toMatchObject({
        ended: "completed",
        log: ["a", "gate", "b"],
      });
      expect(ran()).toEqual(["a", "gate", "gate", "b"]);
    },
    timeoutMs,
  );

  test(
    "is cancelled by another process for good",
    async () => {
      const child = start({ graph: "gated" });
      await child.until(atGate);
      await store.request(runId, { type: "cancel" });
      expect(await child.end()).toMatchObject({ ended: "cancelled" });

      const refused = await start({ graph: "gated", resume: true }).end();
      expect(refused).toMatchObject({ refused: "RUN_FINISHED", message: expect.stringContaining("cancelled") });
    },
    timeoutMs,
  );

  test(
    "takes an answer from another process while it waits for one",
    async () => {
      const child = start({ graph: "asking", stay: true });
      await child.until(({ asked }) => asked === "ask");
      await store.request(runId, { type: "answer", question: "Go on?", value: "yes" });
      expect(await child.end()).toMatchObject({ ended: "completed", log: ["a", "answer yes", "b"] });
    },
    timeoutMs,
  );

  test(
    "takes an answer that was left while it was not running",
    async () => {
      expect(await start({ graph: "asking" }).end()).toMatchObject({ ended: "paused", reason: "needs-human" });
      await store.request(runId, { type: "answer", question: "Go on?", value: "later" });

      expect(await start({ graph: "asking", resume: true }).end()).toMatchObject({
        ended: "completed",
        log: ["a", "answer later", "b"],
      });
      expect(ran()).toEqual(["a", "b"]);
    },
    timeoutMs,
  );

  test(
    "that is not running is cancelled when it is resumed, and runs nothing before",
    async () => {
      expect(await start({ graph: "asking" }).end()).toMatchObject({ ended: "paused" });
      await store.request(runId, { type: "cancel" });

      expect(await start({ graph: "asking", resume: true }).end()).toMatchObject({ ended: "cancelled" });
      expect(ran()).toEqual(["a"]);
    },
    timeoutMs,
  );

  test(
    "that is not running continues when it is resumed, even if a pause was requested before",
    async () => {
      expect(await start({ graph: "asking" }).end()).toMatchObject({ ended: "paused" });
      await store.request(runId, { type: "pause" });
      await store.request(runId, { type: "answer", question: "Go on?", value: "yes" });

      expect(await start({ graph: "asking", resume: true }).end()).toMatchObject({ ended: "completed" });
    },
    timeoutMs,
  );
});
