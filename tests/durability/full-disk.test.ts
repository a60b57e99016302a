// A disk that is full or read-only stops the run loudly, keeps what was recorded, and lets it resume once there is room.

import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredEvent } from "../../src/journal/port.ts";
import { closeIdleConnections } from "../../src/journal/sqlite/connections.ts";
import { makeFolderReadOnly } from "../../src/testing/journal-harnesses/storage-folder.ts";
import { executeGraph } from "../../src/workflows/graph/run/execute.ts";
import { liveGraphs, ranFile } from "./live/child.ts";
import { LiveProcess } from "./live/live-process.ts";
import { openStore, runId, type StoreName } from "./matrix/child.ts";
import { storeNames } from "./matrix/matrix.ts";

const timeoutMs = 60_000;
/** What `hungry` leaves when nothing is in its way. */
const visits = 60;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "atomic-disk-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function mounted(...args: readonly string[]): boolean {
  return spawnSync("mount", args, { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" }, stdio: "ignore" }).status === 0;
}

function unmount(path: string): void {
  closeIdleConnections();
  spawnSync("umount", [path], { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" }, stdio: "ignore" });
}

/** Mounting needs rights that not every user has. The test with a file size limit needs none. */
const canMount = ((): boolean => {
  const probe = mkdtempSync(join(tmpdir(), "atomic-mount-"));
  const works = process.getuid?.() === 0 && mounted("-t", "tmpfs", "-o", "size=64k", "tmpfs", probe);
  if (works) unmount(probe);
  rmSync(probe, { recursive: true });
  return works;
})();

async function finishedIn(name: StoreName, place: string): Promise<string[]> {
  const events: StoredEvent[] = [];
  for await (const event of openStore(name, place).read(runId)) events.push(event);
  return events.filter(({ type }) => type === "node.finished").map(({ key }) => key as string);
}

function timesRan(id: string): number {
  return readFileSync(ranFile(folder), "utf8")
    .split("\n")
    .filter((line) => line === id).length;
}

describe.each(storeNames)("a run on %s", (name) => {
  test.if(canMount)(
    "stops on a full disk, keeps what was recorded, and resumes when there is room",
    async () => {
      const disk = join(folder, "disk");
      mkdirSync(disk);
      expect(mounted("-t", "tmpfs", "-o", "size=400k", "tmpfs", disk)).toBe(true);
      try {
        const graph = liveGraphs.hungry(folder);
        const journal = { store: openStore(name, disk), run: runId };

        await expect(executeGraph(graph, { journal })).rejects.toMatchObject({
          code: "JOURNAL_WRITE_FAILED",
          message: expect.stringMatching(/full.*(free|space).*resume|disk.*full/is),
        });
        const kept = await finishedIn(name, disk);
        expect(kept.length).toBeGreaterThan(5);
        expect(kept.length).toBeLessThan(visits);
        // Still full: refused again, and nothing is lost.
        await expect(executeGraph(graph, { journal: { ...journal, resume: true } })).rejects.toMatchObject({
          code: "JOURNAL_WRITE_FAILED",
        });
        expect(await finishedIn(name, disk)).toEqual(kept);

        expect(mounted("-o", "remount,size=40m", disk)).toBe(true);
        const { status, state } = await executeGraph(graph, { journal: { ...journal, resume: true } });

        expect(status).toBe("completed");
        expect(state.log.map((line) => line.trim().split(" ")[0])).toEqual([
          "a",
          ...Array.from({ length: visits }, (_, i) => String(i + 1)),
          "b",
        ]);
        // Each was recorded once; only those that could not be recorded ran again.
        const finished = await finishedIn(name, disk);
        expect(new Set(finished).size).toBe(finished.length);
        expect(timesRan("eat")).toBeLessThanOrEqual(visits + 2);
      } finally {
        unmount(disk);
      }
    },
    timeoutMs,
  );

  test(
    "stops when its files may not grow, and resumes when they may",
    async () => {
      const limit = ["/bin/sh", "-c", 'trap "" XFSZ; ulimit -f 400; exec "$@"', "sh"];
      const stopped = await new LiveProcess({ graph: "hungry", store: name, folder, resume: false }, limit).end();
      expect(stopped).toMatchObject({ refused: "JOURNAL_WRITE_FAILED" });
      const kept = await finishedIn(name, folder);
      expect(kept.length).toBeGreaterThan(5);

      const { ended, log } = await new LiveProcess({ graph: "hungry", store: name, folder, resume: true }).end();
      expect({ ended, steps: log?.length }).toEqual({ ended: "completed", steps: visits + 2 });
      const finished = await finishedIn(name, folder);
      expect(finished.slice(0, kept.length)).toEqual(kept);
      expect(new Set(finished).size).toBe(finished.length);
    },
    timeoutMs,
  );

  test(
    "is not resumed where nothing can be written: nothing runs, and nothing is lost",
    async () => {
      const place = join(folder, "runs");
      mkdirSync(place);
      const graph = liveGraphs.asking(folder);
      const journal = { store: openStore(name, place), run: runId };
      expect((await executeGraph(graph, { journal })).status).toBe("paused");

      closeIdleConnections();
      const giveBack = makeFolderReadOnly(place);
      expect(giveBack).toBeDefined();
      try {
        await expect(
          executeGraph(graph, { journal: { ...journal, resume: true }, answers: { "Go on?": "yes" } }),
        ).rejects.toMatchObject({
          code: "JOURNAL_WRITE_FAILED",
          message: expect.stringMatching(/read-only|may write/),
        });
        await expect(executeGraph(graph, { journal: { ...journal, run: "other" } })).rejects.toMatchObject({
          code: "JOURNAL_WRITE_FAILED",
        });
      } finally {
        giveBack?.();
      }
      expect(timesRan("a")).toBe(1);
      expect(
        await executeGraph(graph, { journal: { ...journal, resume: true }, answers: { "Go on?": "yes" } }),
      ).toMatchObject({ status: "completed", state: { log: ["a", "answer yes", "b"] } });
    },
    timeoutMs,
  );
});
