import { expect, test } from "bun:test";
import { checksum, crc32, portableCrc32 } from "./checksum.ts";

test("checksum gives the known CRC-32 of the check string", () => {
  expect(checksum("123456789")).toBe("cbf43926");
});

test("checksum is the same for a text and its bytes", () => {
  expect(checksum("zähler ✓")).toBe(checksum(new TextEncoder().encode("zähler ✓")));
});

test("checksum is padded to eight digits", () => {
  expect(checksum("")).toBe("00000000");
});

test("portableCrc32 agrees with the runtime's own", () => {
  for (const text of ["", "a", "ä\u{1f600}", "x".repeat(5000)]) expect(portableCrc32(text)).toBe(crc32(text));
});
