// The first line of a segment: 1,024 bytes of JSON, padded with spaces, so that its changing parts can be rewritten in
// place. A segment is written by one owner only. Owns the format; segment-writer.ts decides what is written when.
//
//   {"state":"open <bytes> <seq> <base bytes> <base seq> <at> <crc>","accepted":"<bytes> <seq> <dropped> <crc>",
//    "index":"<status> <due> <crc>","format":1,"run":"…","segment":2,"owner":{…},"crc":"…"}
//
// - state: how much of this segment is acknowledged, and up to which event; the same before the last append; when.
//   It is written before the one sync of an append, so after a kill no byte beyond it was ever acknowledged.
// - accepted: how much of the previous segment counts. What its old owner still writes lies after that and is ignored.
//   "pending" until the new owner has read that segment, which it does after its own segment exists: see take-run.ts.

import { checksum } from "../../lib/checksum.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { type Owner, parseOwner } from "../owner.ts";
import { type IndexEntry, journalFormat, type RecordedStatus } from "../port.ts";

export const headerBytes = 1024;

export interface SegmentState {
  readonly isOpen: boolean;
  readonly bytes: number;
  readonly seq: number;
  /** Where the last record begins, and the event before it: what was there before the last append. */
  readonly baseBytes: number;
  readonly baseSeq: number;
  readonly at: number;
}

export interface Accepted {
  readonly bytes: number;
  readonly seq: number;
  /** Bytes after the accepted ones that a killed writer never acknowledged. */
  readonly dropped: number;
}

export interface SegmentHeader {
  readonly state: SegmentState;
  readonly accepted: Accepted | "pending";
  /** What lists show of the run; undefined until an append sets it. Segments of earlier versions have none. */
  readonly index: IndexEntry | undefined;
  readonly format: number;
  readonly run: string;
  readonly segment: number;
  readonly owner: Owner;
}

const statePrefix = '{"state":"';
// Spelled out: formatting a state here would load the checksum when this module is imported.
const stateLength = "open 0123456789012345 012345678901 0123456789012345 012345678901 01234567890123 01234567".length;
const acceptedPrefix = '","accepted":"';
const indexPrefix = '","index":"';

/** Where in the file the changing parts are. */
export const stateOffset = statePrefix.length;
export const acceptedOffset = stateOffset + stateLength + acceptedPrefix.length;

export function emptySegmentState(seq: number, at: number): SegmentState {
  return { isOpen: true, bytes: headerBytes, seq, baseBytes: headerBytes, baseSeq: seq, at };
}

export function formatState(state: SegmentState): string {
  const phase = state.isOpen ? "open" : "done";
  const numbers = [
    digits(state.bytes, 16),
    digits(state.seq, 12),
    digits(state.baseBytes, 16),
    digits(state.baseSeq, 12),
  ];
  return sealed(`${phase} ${numbers.join(" ")} ${digits(state.at, 14)}`);
}

export function formatAccepted(accepted: Accepted | "pending"): string {
  if (accepted === "pending") return sealed("pending".padEnd(46));
  return sealed(`${digits(accepted.bytes, 16)} ${digits(accepted.seq, 12)} ${digits(accepted.dropped, 16)}`);
}

function formatIndex(entry: IndexEntry | undefined): string {
  return sealed(
    `${(entry?.status ?? "-").padEnd(9)} ${(entry?.dueAt === undefined ? "-" : String(Math.ceil(entry.dueAt))).padEnd(16)}`,
  );
}

/** All changing parts, for one write at `stateOffset`: no reader sees one of them without the others. */
export function formatChanging({
  state,
  accepted,
  index,
}: Pick<SegmentHeader, "state" | "accepted" | "index">): string {
  return `${formatState(state)}${acceptedPrefix}${formatAccepted(accepted)}${indexPrefix}${formatIndex(index)}`;
}

export function formatHeader(header: SegmentHeader): string {
  const { format, run, segment, owner } = header;
  const fixed = JSON.stringify({ format, run, segment, owner }).slice(1, -1);
  const line = `${statePrefix}${formatChanging(header)}",${fixed},"crc":"${checksum(fixed)}"}`;
  if (Buffer.byteLength(line) >= headerBytes) throw new Error(`a segment header of ${line.length} bytes does not fit`);
  return `${line}${" ".repeat(headerBytes - 1 - Buffer.byteLength(line))}\n`;
}

export type ParsedHeader = { readonly header: SegmentHeader } | { readonly newer: number } | { readonly fault: string };

/** Reads a header line. Distinguishes a later format from damage even if that format lays out its line differently. */
export function parseHeader(line: string): ParsedHeader {
  const json = parseJson(line);
  if (json === undefined) {
    return { fault: line.includes("\0") ? "its header holds NUL bytes" : "its header is not JSON" };
  }
  const { value } = json;
  if (typeof value !== "object" || value === null) return { fault: "its header is not an object" };
  const { format, run, segment, owner, state, accepted, index } = value as Record<string, unknown>;
  if (typeof format !== "number") return { fault: "its header has no format number" };
  if (format > journalFormat) return { newer: format };
  const fixed = JSON.stringify({ format, run, segment, owner }).slice(1, -1);
  if (!line.includes(`,${fixed},"crc":"${checksum(fixed)}"}`))
    return { fault: "its header does not match its checksum" };
  const parsed = { state: parseState(state), accepted: parseAccepted(accepted), owner: parseOwner(owner) };
  if (parsed.state === undefined) return { fault: "the acknowledged length in its header does not match its checksum" };
  if (parsed.accepted === undefined) return { fault: "the accepted length in its header does not match its checksum" };
  if (parsed.owner === undefined || typeof run !== "string" || typeof segment !== "number") {
    return { fault: "its header has fields of the wrong type" };
  }
  return {
    header: {
      format,
      run,
      segment,
      owner: parsed.owner,
      state: parsed.state,
      accepted: parsed.accepted,
      index: parseIndex(index),
    },
  };
}

function parseState(value: unknown): SegmentState | undefined {
  const parts = unsealed(value);
  if (parts === undefined || (parts[0] !== "open" && parts[0] !== "done")) return undefined;
  const [bytes, seq, baseBytes, baseSeq, at] = parts.slice(1).map(Number);
  if (at === undefined || bytes === undefined || seq === undefined) return undefined;
  if (baseBytes === undefined || baseSeq === undefined) return undefined;
  return { isOpen: parts[0] === "open", bytes, seq, baseBytes, baseSeq, at };
}

function parseAccepted(value: unknown): Accepted | "pending" | undefined {
  const parts = unsealed(value);
  if (parts?.[0] === "pending") return "pending";
  const [bytes, seq, dropped] = (parts ?? []).map(Number);
  if (bytes === undefined || seq === undefined || dropped === undefined) return undefined;
  return { bytes, seq, dropped };
}

const statuses: ReadonlySet<string> = new Set<RecordedStatus>([
  "running",
  "paused",
  "completed",
  "failed",
  "cancelled",
]);

/** An entry that can't be read counts as unknown: only lists use it. */
function parseIndex(value: unknown): IndexEntry | undefined {
  const [status = "", due = ""] = unsealed(value) ?? [];
  if (!statuses.has(status)) return undefined;
  return { status: status as RecordedStatus, dueAt: /^\d+$/.test(due) ? Number(due) : undefined };
}

function sealed(text: string): string {
  return `${text} ${checksum(text)}`;
}

function unsealed(value: unknown): readonly string[] | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.slice(0, -9);
  return sealed(text) === value ? text.trim().split(/ +/) : undefined;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
