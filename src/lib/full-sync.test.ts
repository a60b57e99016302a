import { afterAll, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { syncAll, syncData } from "./full-sync.ts";
import { removeFolder } from "./remove-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "atomic-sync-"));
const fd = openSync(join(folder, "file"), "w");
afterAll(() => {
  closeSync(fd);
  removeFolder(folder);
});

test.each([syncAll, syncData])(
  "$name asks macOS for a full sync, and falls back where a file system refuses",
  (sync) => {
    const asked: (readonly number[])[] = [];
    const system = (platform: NodeJS.Platform, answer: number) => ({
      platform,
      libc: () => ({ fcntl: (...args: readonly number[]) => (asked.push(args), answer) }),
    });
    sync(fd, system("darwin", 0));
    expect(asked).toEqual([[fd, 51]]);
    sync(fd, system("darwin", -1));
    expect(asked).toHaveLength(2);
    sync(fd, { platform: "darwin", libc: () => undefined });
    sync(fd, system("linux", 0));
    expect(asked).toHaveLength(2);
    // A real failure is not swallowed: this descriptor is not open.
    expect(() => sync(12_345, system("darwin", -1))).toThrow("EBADF");
  },
);
