// The layout of a run's folder. Symbolic links are refused: reading through one could give another run, and writing
// through one could change any file of the user.
//
//   journal-0001.jsonl …   the segments, one per owner
//   checkpoints/           snapshots
//   requests/              requests of other processes, until they are acknowledged

import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";
import { namesIn } from "../../lib/names-in.ts";
import { journalCorrupt } from "./file-failure.ts";

const segmentName = /^journal-(\d{4,})\.jsonl$/;

export interface RunFolder {
  readonly run: string;
  readonly path: string;
}

export function segmentPath(folder: RunFolder, segment: number): string {
  return join(folder.path, `journal-${String(segment).padStart(4, "0")}.jsonl`);
}

export function checkpointsPath(folder: RunFolder): string {
  return join(folder.path, "checkpoints");
}

export function requestsPath(folder: RunFolder): string {
  return join(folder.path, "requests");
}

/** The numbers of the segments that exist, in order. There may be gaps. */
export function segmentNumbers(folder: RunFolder): readonly number[] {
  return namesIn(folder.path)
    .flatMap((name) => segmentName.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** The number of segments; 0 when the folder holds no run. Throws if one is missing. */
export function countSegments(folder: RunFolder): number {
  if (!isRealFolder(folder, folder.path)) return 0;
  const numbers = segmentNumbers(folder);
  for (const [i, number] of numbers.entries()) {
    if (number === i + 1) continue;
    throw journalCorrupt({ run: folder.run, file: segmentPath(folder, i + 1), what: "the file is missing" });
  }
  const hasCheckpoints = isRealFolder(folder, checkpointsPath(folder)) && hasSnapshots(folder);
  isRealFolder(folder, requestsPath(folder));
  if (numbers.length === 0 && hasCheckpoints) {
    const what = "the file is missing, though there are checkpoints of the run";
    throw journalCorrupt({ run: folder.run, file: segmentPath(folder, 1), what });
  }
  return numbers.length;
}

export function hasSegment(folder: RunFolder, segment: number): boolean {
  return existsSync(segmentPath(folder, segment));
}

/** Runs `use` with the file open; refuses links and everything else that is not a plain file. */
export function withFile<T>(folder: RunFolder, path: string, use: (fd: number) => T): T {
  const fd = openPlainFile(folder, path, constants.O_RDONLY);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

export function openPlainFile(folder: RunFolder, path: string, flags: number): number {
  let fd: number;
  try {
    // Without O_NONBLOCK, opening a pipe that has this name would wait for its other end.
    fd = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemCode(error);
    if (code === "ELOOP") throw corrupt(folder, path, "it is a symbolic link, and runs are not read through links");
    if (code === "ENOENT") throw corrupt(folder, path, "the file is missing");
    throw error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw corrupt(folder, path, "it is not a plain file");
}

/** False when nothing is there; refuses anything that is not a real folder. */
export function isRealFolder(folder: RunFolder, path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (found.isSymbolicLink()) throw corrupt(folder, path, "it is a symbolic link, and runs are not read through links");
  if (!found.isDirectory()) throw corrupt(folder, path, "it is not a folder");
  return true;
}

function hasSnapshots(folder: RunFolder): boolean {
  return namesIn(checkpointsPath(folder)).some((name) => name.startsWith("snapshot-"));
}

function corrupt(folder: RunFolder, file: string, what: string): Error {
  return journalCorrupt({ run: folder.run, file, what });
}
