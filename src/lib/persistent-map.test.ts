import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { PersistentMap } from "./persistent-map.ts";

test("PersistentMap does what a Map does, and every earlier version stays as it was", () => {
  const key = fc.oneof(fc.constantFrom("a", "b", "c", "", "__proto__", "size"), fc.string({ maxLength: 3 }));
  const change = fc.tuple(key, fc.option(fc.integer(), { nil: undefined }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 120 }), (changes) => {
      const model = new Map<string, number>();
      let map = PersistentMap.empty<number>();
      const versions: { map: PersistentMap<number>; entries: readonly (readonly [string, number])[] }[] = [];
      for (const [name, value] of changes) {
        map = value === undefined ? map.delete(name) : map.set(name, value);
        if (value === undefined) model.delete(name);
        else model.set(name, value);
        versions.push({ map, entries: [...model] });
      }
      for (const version of versions) {
        expect([...version.map]).toEqual([...version.entries]);
        expect(version.map.size).toBe(version.entries.length);
        for (const [name, value] of version.entries) expect(version.map.get(name)).toBe(value);
      }
    }),
    { numRuns: 200 },
  );
});

test("PersistentMap.update sets what is made of the old value, and is the same map when that is the old value", () => {
  const map = PersistentMap.lazy<number>(1, () => [["a", 1]]);
  const more = map.update("a", (known = 0) => known + 1).update("b", (known = 0) => known + 1);

  expect([...more]).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
  expect(more.update("a", () => 2)).toBe(more);
  expect([...map]).toEqual([["a", 1]]);
});

test("PersistentMap keeps keys apart whose hashes are the same", () => {
  // Two texts with one FNV-1a hash.
  let map = PersistentMap.of([
    ["costarring", 1],
    ["liquid", 2],
  ]);
  map = map.set("liquid", 3);

  expect([map.get("costarring"), map.get("liquid"), map.size]).toEqual([1, 3, 2]);
  expect([...map.delete("costarring")]).toEqual([["liquid", 3]]);
});

test("PersistentMap is the same object when nothing changes", () => {
  const map = PersistentMap.of([["a", 1]]);

  expect(map.set("a", 1)).toBe(map);
  expect(map.delete("b")).toBe(map);
});

test("PersistentMap stays fast with a hundred thousand keys", () => {
  let map = PersistentMap.empty<number>();
  for (let i = 0; i < 100_000; i++) map = map.set(`work#1/${i}`, i);

  expect(map.size).toBe(100_000);
  expect(map.get("work#1/99999")).toBe(99_999);
});

test("PersistentMap.lazy computes its entries once, when it is first read", () => {
  let asked = 0;
  const map = PersistentMap.lazy(2, () => {
    asked++;
    return [
      ["b", 1],
      ["a", 2],
    ];
  });
  expect([map.size, asked]).toEqual([2, 0]);

  const more = map.set("c", 3);
  expect([...map, ...more.delete("b")]).toEqual([
    ["b", 1],
    ["a", 2],
    ["a", 2],
    ["c", 3],
  ]);
  expect([map.size, more.size, asked]).toEqual([2, 3, 1]);
});
