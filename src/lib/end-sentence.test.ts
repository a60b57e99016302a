import { expect, test } from "bun:test";
import { endSentence } from "./end-sentence.ts";

test("endSentence ends a text that has no end, and leaves others as they are", () => {
  expect(endSentence("gh has no rights")).toBe("gh has no rights.");
  expect(endSentence("exit 1\n")).toBe("exit 1.");
  for (const text of ["Log in first.", "Really?", "No!", "and so on …"]) expect(endSentence(text)).toBe(text);
});
