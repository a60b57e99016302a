import { expect, test } from "bun:test";
import { parseRunId } from "./run-id.ts";

const good = ["a", "0", "8b1f0f5e-7f43-4a39-9a08-0a1c6a6c9a55", "run_1.2-x", "a".repeat(128)];
const bad = ["", ".", "..", "-a", "a/b", "a\\b", "a..b", "../x", "a\0", "a\n", "ä", " a", "a".repeat(129), 7, null];

test.each(good)("parseRunId accepts %j", (run) => {
  expect(parseRunId(run)).toBe(run);
});

test.each(bad)("parseRunId refuses %j", (run) => {
  expect(() => parseRunId(run)).toThrow(expect.objectContaining({ code: "RUN_ID_INVALID" }));
});
