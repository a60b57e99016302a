// A disk that is really full: a small file system in memory. Needs the right to mount; the contract's file size limit
// covers machines without that right.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AtomicError } from "../lib/errors.ts";
import { FileSaver } from "./files/file-saver.ts";
import type { JournalStore } from "./port.ts";
import { SqliteSaver } from "./sqlite/sqlite-saver.ts";

const environment = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };

function mountSmallDisk(folder: string): boolean {
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", folder], { env: environment });
  return mounted.success;
}

function unmount(folder: string): void {
  Bun.spawnSync(["umount", "-l", folder], { env: environment });
}

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "atomic-mount-"));
  const mounted = mountSmallDisk(folder);
  if (mounted) unmount(folder);
  rmSync(folder, { recursive: true });
  return mounted;
}

const stores: readonly [string, (folder: string) => JournalStore][] = [
  ["FileSaver", (folder) => new FileSaver({ dir: join(folder, "runs") })],
  ["SqliteSaver", (folder) => new SqliteSaver({ path: join(folder, "runs.db") })],
];

test.skipIf(!canMount()).each(stores)(
  "%s stops on a full disk and continues once there is room again",
  async (_, make) => {
    const folder = mkdtempSync(join(tmpdir(), "atomic-full-"));
    expect(mountSmallDisk(folder)).toBe(true);
    try {
      const ballast = join(folder, "ballast");
      writeFileSync(ballast, Buffer.alloc(250_000));
      const store = make(folder);
      const handle = await store.open("run", { mode: "create" });
      const failure = await fillUp(
        async (n) => void (await handle.append([{ type: "test.noted", n, text: "x".repeat(2000) }])),
      );
      expect(failure).toMatchObject({ code: "JOURNAL_WRITE_FAILED", details: { lastSeq: handle.lastSeq } });
      expect(failure.message).toContain(`record ${handle.lastSeq} `);
      expect(handle.lastSeq).toBeGreaterThan(10);
      await handle.close();

      rmSync(ballast);
      const next = await store.open("run", { mode: "resume" });
      expect((await Array.fromAsync(next.history)).map(({ n }) => n)).toEqual(
        Array.from({ length: handle.lastSeq }, (__, i) => i + 1),
      );
      await next.append([{ type: "test.noted", n: handle.lastSeq + 1 }]);
      await next.close();
      expect((await store.info("run")).lastSeq).toBe(handle.lastSeq + 1);
    } finally {
      unmount(folder);
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

async function fillUp(append: (n: number) => Promise<void>): Promise<AtomicError> {
  for (let n = 1; n < 10_000; n++) {
    try {
      await append(n);
    } catch (error) {
      if (AtomicError.is(error)) return error;
      throw error;
    }
  }
  throw new Error("the disk never filled up");
}
