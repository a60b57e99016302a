import { expect, test } from "bun:test";
import type { Json } from "../lib/json.ts";
import { clip, clipJson } from "./clip.ts";

test("clip keeps short text as it is and both ends of long text", () => {
  expect(clip("short", 10)).toBe("short");
  expect(clip("aaaaabbbbbccccc", 10)).toBe("aaaaa\n… 5 characters left out …\nccccc");
});

test("clip never splits a character", () => {
  for (let length = 10; length < 20; length++) {
    const clipped = clip("😀".repeat(length), 9);
    expect(Buffer.from(clipped).toString()).toBe(clipped);
  }
});

test("clipJson clips strings at any depth and shares what it leaves alone", () => {
  const short = { a: [1, "b", null] };
  expect(clipJson(short, 10)).toBe(short);
  expect(clipJson({ a: [{ b: "x".repeat(20) }], c: 1 }, 10)).toEqual({
    a: [{ b: "xxxxx\n… 10 characters left out …\nxxxxx" }],
    c: 1,
  });
});

test.each([
  ["a list of short texts", Array.from({ length: 100_000 }, (_, i) => `text ${i}`), "99"],
  ["a list of numbers", Array.from({ length: 100_000 }, (_, i) => i), "99"],
  ["an object of many fields", Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, true])), "99"],
  ["lists in lists", Array.from({ length: 1000 }, () => Array.from({ length: 100 }, () => "x")), " more left out"],
])("clipJson bounds %s as a whole, and says that something was left out", (_, value, mark) => {
  const text = JSON.stringify(clipJson({ path: "a", value }, 100));
  expect(text.length).toBeLessThan(3000);
  expect(text).toContain('{"path":"a"');
  expect(text).toContain("more left out");
  expect(text).toContain(mark);
});

test("clipJson cuts long names of fields and what is nested too deep", () => {
  expect(JSON.stringify(clipJson({ ["k".repeat(10_000)]: 1 })).length).toBeLessThan(300);
  let deep: Json = "core";
  for (let i = 0; i < 1000; i++) deep = [deep];
  expect(JSON.stringify(clipJson(deep))).toContain("more levels left out");
});
