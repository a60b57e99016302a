import { expect, test } from "bun:test";
import { parseJson } from "./parse-json.ts";

test.each([
  { text: "null", value: null },
  { text: '{"a":[1]}', value: { a: [1] } },
])("parseJson reads $text", ({ text, value }) => {
  expect(parseJson(text)).toEqual({ value });
});

test.each(["", "{", "undefined", "[1,]", "{'a':1}"])("parseJson returns undefined for %p", (text) => {
  expect(parseJson(text)).toBeUndefined();
});

test("parseJson throws errors that the text did not cause", () => {
  const text = {
    toString(): string {
      throw new Error("broken");
    },
  };
  expect(() => parseJson(text as never)).toThrow("broken");
});
