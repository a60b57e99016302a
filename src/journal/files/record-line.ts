// One append as one line of a segment, so that all its events are there or none:
//
//   {"seq":13,"count":2,"at":1700000000000,"events":[…],"crc":"1a2b3c4d"}
//
// The checksum covers everything before `,"crc"`. Owns the format of a line and its check.

import { checksum } from "../../lib/checksum.ts";
import type { JournalEvent, StoredEvent } from "../port.ts";

const sealLength = ',"crc":"00000000"}'.length;
const newline = 0x0a;

export interface RecordLine {
  readonly first: number;
  readonly count: number;
  /** The line without its newline. */
  readonly bytes: Uint8Array;
}

export function formatRecord(first: number, at: number, events: readonly JournalEvent[]): string {
  const text = `{"seq":${first},"count":${events.length},"at":${at},"events":${JSON.stringify(events)}`;
  return `${text},"crc":"${checksum(text)}"}\n`;
}

/** The record in a line (with its newline), or what is wrong with it. */
export function parseRecord(line: Uint8Array): RecordLine | string {
  if (line.at(-1) !== newline) return "it has no end";
  if (line.includes(0)) return "it holds NUL bytes";
  const bytes = line.subarray(0, -1);
  const covered = bytes.subarray(0, -sealLength);
  const seal = decode(bytes.subarray(-sealLength));
  if (seal !== `,"crc":"${checksum(covered)}"}`) return "it does not match its checksum";
  const head = /^\{"seq":(\d+),"count":(\d+),"at":\d+,"events":\[/.exec(decode(bytes.subarray(0, 80)));
  if (head === null) return "it does not begin like a record";
  return { first: Number(head[1]), count: Number(head[2]), bytes };
}

export function eventsIn(record: RecordLine): readonly StoredEvent[] {
  const value = JSON.parse(decode(record.bytes)) as { at: number; events: JournalEvent[] };
  return value.events.map((event, i) => ({ ...event, seq: record.first + i, at: event.at ?? value.at }));
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
