// Reads a run and then what is appended to it, from any process, across owners. A poll reads one header: the
// acknowledged length shows whether there is more, and the name of the next segment whether there is a new owner.

import { AtomicError } from "../../lib/errors.ts";
import { pauseBetweenPolls } from "../poll.ts";
import type { StoredEvent } from "../port.ts";
import { runNotFound } from "../refusals.ts";
import { eventsIn } from "./record-line.ts";
import { hasSegment, type RunFolder, segmentNumbers, segmentPath } from "./run-folder.ts";
import { type SegmentPosition, markFor, readChain, readHeader, recordsFrom } from "./segment-chain.ts";

export async function* followRun(folder: RunFolder, from: number, signal: AbortSignal): AsyncGenerator<StoredEvent> {
  let wanted = from;
  let mark: SegmentPosition | undefined;
  let seen: string | undefined;
  while (!signal.aborted) {
    const look = lookAt(folder, mark?.segment ?? 1);
    if (look === seen) {
      await pauseBetweenPolls({ signals: [signal], keepsAlive: true });
      continue;
    }
    seen = look;
    const chain = readChain(folder);
    mark ??= markFor(chain, wanted);
    for (const record of recordsFrom(folder, chain, mark)) {
      for (const event of eventsIn(record)) {
        if (event.seq < wanted) continue;
        if (signal.aborted) return;
        yield event;
        wanted = event.seq + 1;
      }
    }
    const last = chain.at(-1)!;
    mark = { segment: chain.length, byte: last.bytes, next: last.seq + 1 };
  }
}

/** Changes whenever there may be something new. */
function lookAt(folder: RunFolder, segment: number): string {
  try {
    const { state } = readHeader(folder, segmentPath(folder, segment)).header;
    return `${segment} ${state.bytes} ${hasSegment(folder, segment + 1)}`;
  } catch (error) {
    if (AtomicError.is(error, "JOURNAL_CORRUPT") && segmentNumbers(folder).length === 0) {
      throw runNotFound(folder.run, folder.path);
    }
    throw error;
  }
}
