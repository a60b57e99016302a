import { expect, test } from "bun:test";
import {
  amount,
  anyOf,
  checkShape,
  flag,
  list,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  spellPath,
  text,
  withDefault,
} from "./shape.ts";

const person = object({
  name: text({ min: 1, max: 10 }),
  age: optional(amount({ min: 0, isWhole: true })),
  kind: withDefault(oneOf(["a", "b"]), "a"),
  tags: optional(list(text({ pattern: /^\w+$/ }))),
});

function faultsOf(shape: Shape<unknown>, value: unknown): string[] {
  const checked = checkShape(shape, value);
  return "faults" in checked ? checked.faults.map(({ path, message }) => `${spellPath(path)}: ${message}`) : [];
}

test("checkShape returns a valid value, with defaults, and without unknown keys", () => {
  expect(checkShape(person, { name: "x", more: 1 })).toEqual({ value: { name: "x", kind: "a" } });
});

test("checkShape reports every fault with its path", () => {
  expect(faultsOf(person, { name: "", age: 1.5, kind: "c", tags: ["ok", 3, "not ok"] })).toEqual([
    "name: must not be empty",
    "age: must be a whole number",
    'kind: must be "a" or "b"',
    "tags[1]: must be text",
    "tags[2]: has the wrong form",
  ]);
  expect(faultsOf(person, [])).toEqual([": must be an object"]);
  expect(faultsOf(person, null)).toEqual([": must be an object"]);
});

test("object keeps or refuses unknown keys, depending on its options", () => {
  const kept: unknown = checkShape(object({ a: flag() }, { others: "keep" }), { a: true, b: 1 });
  expect(kept).toEqual({ value: { a: true, b: 1 } });
  expect(faultsOf(object({ a: flag() }, { others: "refuse" }), { a: true, b: 1 })).toEqual([': has no "b"']);
});

test("object takes nothing from a prototype", () => {
  expect(faultsOf(object(Object.fromEntries([["toString", text()]])), {})).toEqual(["toString: must be text"]);
});

test("anyOf takes the first that fits, and reports its own message when none does", () => {
  const id = anyOf([text({ min: 1 }), amount()], "must be a text or a number");

  expect(checkShape(id, 3)).toEqual({ value: 3 });
  expect(faultsOf(id, "")).toEqual([": must be a text or a number"]);
});

test("list and record check every entry", () => {
  expect(faultsOf(list(amount({ max: 2 }), { min: 1 }), [])).toEqual([": must not be empty"]);
  expect(faultsOf(record(amount({ max: 2 })), { a: 1, b: 3 })).toEqual(["b: must be at most 2"]);
  expect(faultsOf(amount(), Number.NaN)).toEqual([": must be a number"]);
});
