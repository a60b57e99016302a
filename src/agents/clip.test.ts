import { expect, test } from "bun:test";
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
