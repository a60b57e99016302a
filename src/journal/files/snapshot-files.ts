// Snapshots as files in `checkpoints/`, the newest two. Each also says where in the journal the events after it begin,
// so that opening a long run reads only what follows its last snapshot. One that can't be read is skipped: losing
// a snapshot costs time, never data.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isSystemError, writeFileAtomically } from "../../lib/atomic-file.ts";
import { checksum } from "../../lib/checksum.ts";
import { AtomicError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Json } from "../../lib/json.ts";
import { namesIn } from "../../lib/names-in.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { journalFormat, type Snapshot } from "../port.ts";
import { checkpointsPath, isRealFolder, type RunFolder, withFile } from "./run-folder.ts";
import { type SegmentPosition, runStart, type Segment } from "./segment-chain.ts";

const snapshotName = /^snapshot-(\d{12,})\.json$/;
const sealLength = ',"crc":"00000000"}\n'.length;

export interface FoundSnapshot extends Snapshot {
  readonly mark: SegmentPosition;
}

/** Returns the number of bytes written. */
export function writeSnapshot(folder: RunFolder, snapshot: Snapshot, mark: SegmentPosition): number {
  const path = checkpointsPath(folder);
  if (!isRealFolder(folder, path)) mkdirSync(path, { mode: 0o700 });
  const content = { format: journalFormat, run: folder.run, seq: snapshot.seq, mark, body: snapshot.body };
  const text = JSON.stringify(content).slice(0, -1);
  writeFileAtomically(
    join(path, `snapshot-${String(snapshot.seq).padStart(12, "0")}.json`),
    `${text},"crc":"${checksum(text)}"}\n`,
  );
  for (const seq of snapshotNumbers(folder).slice(2)) rmSync(snapshotPath(folder, seq), { force: true });
  return text.length;
}

export function readNewestSnapshot(folder: RunFolder, chain: readonly Segment[]): FoundSnapshot | undefined {
  const lastSeq = chain.at(-1)?.seq ?? 0;
  for (const seq of snapshotNumbers(folder)) {
    const found = seq <= lastSeq ? readSnapshot(folder, seq) : undefined;
    if (found !== undefined) return { ...found, mark: checkedMark(found.mark, chain) };
  }
  return undefined;
}

function readSnapshot(folder: RunFolder, seq: number): FoundSnapshot | undefined {
  const text = readSnapshotFile(folder, seq);
  const covered = text?.slice(0, -sealLength) ?? "";
  if (text?.slice(-sealLength) !== `,"crc":"${checksum(covered)}"}\n`) return undefined;
  const value = parseJson(text)?.value;
  if (!isRecord(value)) return undefined;
  if (value["format"] !== journalFormat || value["run"] !== folder.run || value["seq"] !== seq) return undefined;
  return { seq, body: value["body"] as Json, mark: value["mark"] as SegmentPosition };
}

/** Undefined for a file that is gone, is not a regular file, or can't be read. */
function readSnapshotFile(folder: RunFolder, seq: number): string | undefined {
  try {
    return withFile(folder, snapshotPath(folder, seq), (fd) => readFileSync(fd, "utf8"));
  } catch (thrown) {
    if (!AtomicError.is(thrown) && !isSystemError(thrown)) throw thrown;
    return undefined;
  }
}

/** The mark, if it lies inside the part that counts; otherwise the start of the run, which is always correct. */
function checkedMark(mark: SegmentPosition, chain: readonly Segment[]): SegmentPosition {
  const segment = chain[mark.segment - 1];
  const isInside = segment !== undefined && mark.byte <= segment.bytes && mark.next > segment.seqBefore;
  return isInside ? mark : runStart;
}

/** The numbers of the snapshots that are there, newest first. */
function snapshotNumbers(folder: RunFolder): readonly number[] {
  return namesIn(checkpointsPath(folder))
    .flatMap((name) => snapshotName.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => b - a);
}

function snapshotPath(folder: RunFolder, seq: number): string {
  return join(checkpointsPath(folder), `snapshot-${String(seq).padStart(12, "0")}.json`);
}
