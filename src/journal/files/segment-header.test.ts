import { expect, test } from "bun:test";
import { newOwner } from "../owner.ts";
import {
  acceptedOffset,
  emptySegmentState,
  formatAccepted,
  formatHeader,
  formatState,
  headerBytes,
  parseHeader,
  type SegmentHeader,
  stateOffset,
} from "./segment-header.ts";

const header: SegmentHeader = {
  state: { isOpen: false, bytes: 5000, seq: 12, baseBytes: 4000, baseSeq: 10, at: 1_700_000_000_000 },
  index: { status: "paused", dueAt: 1_800_000_000_000 },
  accepted: { bytes: 2048, seq: 7, dropped: 31 },
  format: 1,
  run: "run-1",
  segment: 2,
  owner: newOwner(1_700_000_000_000),
};

function parsed(text: string): SegmentHeader {
  const result = parseHeader(text.trimEnd());
  if (!("header" in result)) throw new Error(JSON.stringify(result));
  return result.header;
}

function patched(text: string, offset: number, patch: string): string {
  return text.slice(0, offset) + patch + text.slice(offset + patch.length);
}

test("formatHeader gives a line of fixed width that parseHeader gives back", () => {
  const text = formatHeader(header);
  expect(text).toHaveLength(headerBytes);
  expect(text.indexOf("\n")).toBe(headerBytes - 1);
  expect(parsed(text)).toEqual(header);
  expect(parsed(formatHeader({ ...header, accepted: "pending" })).accepted).toBe("pending");
});

test("the changing parts of a header can be written over in place", () => {
  const state = { isOpen: true, bytes: 10 ** 15, seq: 10 ** 11, baseBytes: 1024, baseSeq: 0, at: 10 ** 13 };
  const accepted = { bytes: 10 ** 15, seq: 10 ** 11, dropped: 10 ** 15 };
  let text = formatHeader({ ...header, state: emptySegmentState(0, 0), accepted: "pending" });
  text = patched(text, stateOffset, formatState(state));
  text = patched(text, acceptedOffset, formatAccepted(accepted));
  expect(parsed(text)).toEqual({ ...header, state, accepted });
});

test("a header has room for the longest id and host name", () => {
  const owner = { ...header.owner, process: { ...header.owner.process, host: "h".repeat(255) } };
  const longest = { ...header, run: "r".repeat(128), owner };
  expect(parsed(formatHeader(longest))).toEqual(longest);
});

test.each([
  ["a digit of the state", stateOffset + 10, "acknowledged length"],
  ["a digit of the accepted length", acceptedOffset + 3, "accepted length"],
])("parseHeader notices a change of %s", (_, offset, what) => {
  const result = parseHeader(patched(formatHeader(header), offset, "9").trimEnd());
  expect(result).toEqual({ fault: expect.stringContaining(what) });
});

test("parseHeader distinguishes a later format from damage", () => {
  expect(parseHeader('{"format":2,"anything":true}')).toEqual({ newer: 2 });
  expect(parseHeader("{}")).toEqual({ fault: expect.stringContaining("format") });
  expect(parseHeader("null")).toEqual({ fault: expect.any(String) });
  expect(parseHeader("\0\0\0")).toEqual({ fault: "its header holds NUL bytes" });
});
