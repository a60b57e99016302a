import { expect, test } from "bun:test";
import { createJoinedPieces } from "./joined-pieces.ts";

function setUp() {
  const reported: string[] = [];
  const pieces = createJoinedPieces(({ sessionId, partId, text }) => reported.push(`${sessionId}/${partId}: ${text}`));
  const add = (partId: string, text: string): void =>
    pieces.add({ type: "part.delta", sessionId: "ses", partId, text });
  return { reported, add, flush: pieces.flush };
}

test("pieces of one part are reported as one on flush", () => {
  const { reported, add, flush } = setUp();
  for (const text of ["one ", "two ", "three"]) add("a", text);
  expect(reported).toEqual([]);
  flush();
  expect(reported).toEqual(["ses/a: one two three"]);
});

test("a piece of another part sends off what is held, so that the order stays", () => {
  const { reported, add, flush } = setUp();
  for (const [part, text] of [
    ["a", "1"],
    ["b", "2"],
    ["b", "3"],
    ["a", "4"],
  ] as const)
    add(part, text);
  flush();
  expect(reported).toEqual(["ses/a: 1", "ses/b: 23", "ses/a: 4"]);
});

test("nothing is reported twice, and nothing when nothing arrived", () => {
  const { reported, add, flush } = setUp();
  flush();
  add("a", "1");
  flush();
  flush();
  add("a", "2");
  flush();
  expect(reported).toEqual(["ses/a: 1", "ses/a: 2"]);
});
