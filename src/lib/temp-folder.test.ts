import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { currentProcess } from "./process-identity.ts";
import { makeTempFolder, sweepTempFolders } from "./temp-folder.ts";

const root = mkdtempSync(join(tmpdir(), "temp-folders-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function left(name: string, owner?: object): string {
  const folder = join(root, name);
  mkdirSync(join(folder, "inside"), { recursive: true });
  if (owner !== undefined) writeFileSync(join(folder, ".owner.json"), JSON.stringify(owner));
  return folder;
}

test("sweepTempFolders removes what dead processes left, and nothing else", () => {
  const dead = { ...currentProcess(), pid: 1, started: "never" };
  const elsewhere = { ...currentProcess(), machine: "another" };
  const mine = makeTempFolder("keep", root);
  const gone = [left("atomic-keep-aaaaaa", dead), left("atomic-opencode-bbbbbb", dead), left("atomic-read-cccccc")];
  const kept = [
    mine,
    left("atomic-keep-dddddd", elsewhere),
    left("atomic-test-eeeeee"),
    left("atomic-other-ffffff", dead),
    left("atomic-keep-longer-name", dead),
  ];
  const target = left("target");
  symlinkSync(target, join(root, "atomic-keep-gggggg"));
  const now = Date.now();
  utimesSync(gone[2] ?? "", 0, (now - 25 * 3_600_000) / 1000);
  sweepTempFolders(now, root);

  expect(gone.filter((folder) => existsSync(folder))).toEqual([]);
  expect(kept.filter((folder) => !existsSync(folder))).toEqual([]);
  expect(existsSync(join(target, "inside"))).toBe(true);
});

test("sweepTempFolders treats a missing folder as empty", () => {
  sweepTempFolders(0, join(root, "none"));
});
