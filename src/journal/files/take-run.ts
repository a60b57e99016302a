// How a process becomes the owner of a run in a folder. Each owner creates a segment, and a file name can be created
// only once: of any number of processes that try, one succeeds, and the others look again and find an owner.
//
// How much of the previous segment counts is read after the new one exists. From then on an old owner that is still
// alive reports nothing as stored (see file-handle.ts), so what is read then is final.

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { createFileAtomically, syncFolder } from "../../lib/atomic-file.ts";
import type { Clock } from "../../lib/clock.ts";
import { newOwner, type Owner, refusalOf } from "../owner.ts";
import { journalFormat, type JournalOpenOptions } from "../port.ts";
import { runExists, runNotFound } from "../refusals.ts";
import { FileHandle } from "./file-handle.ts";
import { type RunFolder, segmentPath } from "./run-folder.ts";
import { readChain, recordsFrom, runStart, type Segment } from "./segment-chain.ts";
import { type Accepted, emptySegmentState, formatHeader, type SegmentHeader } from "./segment-header.ts";
import { acceptFor, SegmentWriter } from "./segment-writer.ts";
import { readNewestSnapshot } from "./snapshot-files.ts";

export function takeRun(
  folder: RunFolder,
  options: JournalOpenOptions,
  clock: Clock,
  onClosed: (handle: FileHandle) => void,
): FileHandle {
  for (;;) {
    const chain = readChain(folder);
    const last = chain.at(-1);
    if (last === undefined && options.mode === "resume") throw runNotFound(folder.run, folder.path);
    if (last !== undefined) {
      const refusal =
        last.header.state.isOpen && options.takeOver !== true ? refusalOf(folder.run, last.header.owner) : undefined;
      if (refusal !== undefined) throw refusal;
      if (options.mode === "create" && last.seq > 0) throw runExists(folder.run, folder.path);
      verify(folder, chain);
    }
    const owner = newOwner(clock.now());
    const header = newHeader(folder, chain, owner);
    if (last === undefined) makeFolder(folder);
    if (!createFileAtomically(segmentPath(folder, header.segment), formatHeader(header))) continue;
    return start(folder, header, clock, onClosed);
  }
}

function start(
  folder: RunFolder,
  header: SegmentHeader,
  clock: Clock,
  onClosed: (handle: FileHandle) => void,
): FileHandle {
  const { owner } = header;
  const writer = new SegmentWriter(folder, header);
  try {
    // Usually only its own segment; an owner that died at this point has left one, too.
    for (const unresolved of readChain(folder).filter((segment) => segment.header.accepted === "pending")) {
      const before = readChain(folder)[unresolved.header.segment - 2]!;
      if (unresolved.header.segment === writer.segment)
        writer.accept(acceptedOf(before), before.header.index, owner.since);
      else acceptFor(folder, unresolved.header, acceptedOf(before));
    }
    const chain = readChain(folder);
    const snapshot = readNewestSnapshot(folder, chain);
    return new FileHandle({ folder, owner, writer, chain, snapshot, clock, onClosed });
  } catch (error) {
    writer.close(true);
    throw error;
  }
}

/** A run that can't be read is refused before anything in it is changed. */
function verify(folder: RunFolder, chain: readonly Segment[]): void {
  for (const _ of recordsFrom(folder, chain, readNewestSnapshot(folder, chain)?.mark ?? runStart));
}

function newHeader(folder: RunFolder, chain: readonly Segment[], owner: Owner): SegmentHeader {
  const isFirst = chain.length === 0;
  return {
    state: emptySegmentState(chain.at(-1)?.seq ?? 0, owner.since),
    accepted: isFirst ? { bytes: 0, seq: 0, dropped: 0 } : "pending",
    index: chain.at(-1)?.header.index,
    format: journalFormat,
    run: folder.run,
    segment: chain.length + 1,
    owner,
  };
}

function acceptedOf(segment: Segment): Accepted {
  return { bytes: segment.bytes, seq: segment.seq, dropped: Math.max(segment.size - segment.bytes, 0) };
}

function makeFolder(folder: RunFolder): void {
  mkdirSync(folder.path, { recursive: true, mode: 0o700 });
  syncFolder(dirname(folder.path));
}
