import { expect, test } from "bun:test";
import { attentionSequence, clipboardSequence } from "./sequences.ts";

test("a text for the clipboard is encoded whole, and cut where terminals drop it", () => {
  expect(clipboardSequence("häh\n")).toEqual({
    sequence: `\x1b]52;c;${Buffer.from("häh\n").toString("base64")}\x07`,
    characters: 4,
  });
  const { characters } = clipboardSequence("ä".repeat(100_000));
  expect(characters).toBeLessThan(60_000);
  expect(characters).toBeGreaterThan(40_000);
});

test("a notification can't carry escape sequences, and is wrapped for tmux", () => {
  expect(attentionSequence("a\x1b]52;c;x\x07b", false)).toBe("\x07\x1b]9;a ]52;c;x b\x07");
  expect(attentionSequence("done", true)).toBe("\x07\x1bPtmux;\x1b\x1b]9;done\x07\x1b\\");
});
