import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createSha256 } from "./sha256.ts";

test("createSha256 gives the hash of all pieces, text and bytes", () => {
  const bytes = new Uint8Array([0, 255, 13, 10]);
  const expected = createHash("sha256").update("one ü").update(bytes).digest("hex");

  expect(createSha256().update("one ü").update(bytes).digest("hex")).toBe(expected);
  expect(createSha256().digest("hex")).toBe(createHash("sha256").digest("hex"));
});
