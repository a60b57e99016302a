import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { removeFromJsonc, setInJsonc } from "./jsonc-text.ts";

const sets: readonly { from: string; path: string; value: string | number; to: string }[] = [
  { from: "", path: "a.b", value: 1, to: `{\n  "a": {\n    "b": 1\n  }\n}\n` },
  { from: "{}", path: "a", value: "x", to: `{\n  "a": "x"\n}` },
  { from: "{ }\n", path: "a", value: 1, to: `{\n  "a": 1\n}\n` },
  { from: "{ // none yet\n}\n", path: "a", value: 1, to: `{ // none yet\n  "a": 1\n}\n` },
  { from: `{ "a": 1 }`, path: "a", value: 2, to: `{ "a": 2 }` },
  { from: `{ "a": "}\\"," }`, path: "a", value: 2, to: `{ "a": 2 }` },
  { from: `{\n  "a": 1\n}`, path: "b", value: 2, to: `{\n  "a": 1,\n  "b": 2\n}` },
  { from: `{\n  "a": 1, // one\n}`, path: "b", value: 2, to: `{\n  "a": 1,\n  "b": 2, // one\n}` },
  { from: `{\n  "a": [1, { "b": 2 }],\n}`, path: "b", value: 2, to: `{\n  "a": [1, { "b": 2 }],\n  "b": 2,\n}` },
  { from: `{ "a": { "b": 1 } }`, path: "a.c", value: 2, to: `{ "a": { "b": 1,\n    "c": 2 } }` },
  { from: `{ "a": 1, "a": 2 }`, path: "a", value: 3, to: `{ "a": 1, "a": 3 }` },
];

describe("setInJsonc", () => {
  for (const { from, path, value, to } of sets) {
    test(`${JSON.stringify(from)} + ${path}`, () => {
      const changed = setInJsonc(from, path.split("."), value);
      expect(changed).toBe(to);
      expect(() => Bun.JSONC.parse(changed)).not.toThrow();
    });
  }
});

const removals: readonly { from: string; path: string; to: string }[] = [
  { from: `{\n  "a": 1,\n  "b": 2\n}`, path: "a", to: `{\n  "b": 2\n}` },
  { from: `{\n  "a": 1,\n  "b": 2\n}`, path: "b", to: `{\n  "a": 1\n}` },
  { from: `{\n  "a": 1, // first\n  "b": 2\n}`, path: "b", to: `{\n  "a": 1 // first\n}` },
  { from: `{ "a": { "b": 1 }, "c": 2 }`, path: "a.b", to: `{  "c": 2 }` },
  { from: `{ "a": { "b": 1, "c": 2 } }`, path: "a.b", to: `{ "a": {  "c": 2 } }` },
  { from: `{ "a": 1 }`, path: "b", to: `{ "a": 1 }` },
];

describe("removeFromJsonc", () => {
  for (const { from, path, to } of removals) {
    test(`${JSON.stringify(from)} - ${path}`, () => {
      const changed = removeFromJsonc(from, path.split("."));
      expect(changed).toBe(to);
      expect(() => Bun.JSONC.parse(changed)).not.toThrow();
    });
  }
});

test("any file keeps its other values when one is set and removed again", () => {
  const key = fc.constantFrom("a", "b", "limits", "x y");
  const leaf = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer(), { maxLength: 3 }));
  const object = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf)));
  const indent = fc.constantFrom(0, 2, 4);
  fc.assert(
    fc.property(object, indent, fc.array(key, { minLength: 1, maxLength: 2 }), (data, spaces, path) => {
      const [first = "", second] = path;
      const inner = (data as Record<string, unknown>)[first];
      // A path through a value that is not an object is refused earlier.
      fc.pre(
        second === undefined ||
          inner === undefined ||
          (typeof inner === "object" && inner !== null && !Array.isArray(inner)),
      );
      const text = `// head\n${JSON.stringify(data, null, spaces)} /* tail */\n`;
      const set = setInJsonc(text, path, 7);
      const expected = structuredClone(data) as Record<string, unknown>;
      if (second === undefined) expected[first] = 7;
      else expected[first] = { ...(inner as object | undefined), [second]: 7 };
      expect(Bun.JSONC.parse(set)).toEqual(expected);
      expect(set.startsWith("// head\n")).toBe(true);
      expect(set.endsWith(" /* tail */\n")).toBe(true);
      const removed = Bun.JSONC.parse(removeFromJsonc(set, path)) as Record<string, unknown>;
      if (second === undefined) delete expected[first];
      else delete (expected[first] as Record<string, unknown>)[second];
      if (second !== undefined && Object.keys(expected[first] as object).length === 0) delete expected[first];
      expect(removed).toEqual(expected);
    }),
  );
});
