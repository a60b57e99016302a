import { expect, test } from "bun:test";
import { parseJsonc, portableJsonc } from "./jsonc.ts";

const texts = [
  "{}",
  '{ "a": 1, // one\n "b": [1, 2, /* three */ ], }',
  '/* first */ { "url": "http://host/*not a comment*/", "q": "a \\" // b", }',
  "[\n  1,\n  // last\n]",
  '{ "a": "x,]" }',
  '"\\\\"',
];

for (const text of texts) {
  test(`portableJsonc reads ${JSON.stringify(text)} as Bun's parser does`, () => {
    expect(portableJsonc(text)).toEqual(parseJsonc(text));
  });
}

test("portableJsonc skips a byte order mark", () => {
  expect(portableJsonc('\uFEFF{ "a": 1 }')).toEqual({ a: 1 });
});

test("portableJsonc refuses what is not JSON", () => {
  for (const text of ['{ "a": }', "{ a: 1 }", '{ "a": 1 ', "/* open", ",]"])
    expect(() => portableJsonc(text)).toThrow(SyntaxError);
});
