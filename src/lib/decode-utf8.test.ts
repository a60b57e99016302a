import { expect, test } from "bun:test";
import { decodeUtf8 } from "./decode-utf8.ts";

const mark = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61);

test("decodeUtf8 drops a byte order mark, or keeps it", () => {
  expect(decodeUtf8(mark)).toBe("a");
  expect(decodeUtf8(mark, { keepsMark: true })).toBe("\u{feff}a");
});

test.each([[[0xff]], [[0x61, 0xc3]], [[0xed, 0xa0, 0x80]]])("decodeUtf8 returns undefined for %p", (bytes) => {
  expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined();
});

test("decodeUtf8 forgets what it was given before", () => {
  expect(decodeUtf8(Uint8Array.of(0x61, 0xe2, 0x82))).toBeUndefined();
  expect(decodeUtf8(mark)).toBe("a");
  expect(decodeUtf8(Uint8Array.of(0xac, 0x62))).toBeUndefined();
  expect(decodeUtf8(mark, { keepsMark: true })).toBe("\u{feff}a");
});
