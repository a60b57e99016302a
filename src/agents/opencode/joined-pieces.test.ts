import { expect, test } from "bun:test";
import { createJoinedPieces } from "./joined-pieces.ts";

function setUp() {
  const told: string[] = [];
  const pieces = createJoinedPieces(({ sessionId, partId, text }) => told.push(`${sessionId}/${partId}: ${text}`));
  const add = (partId: string, text: string): void =>
    pieces.add({ type: "part.delta", sessionId: "ses", partId, text });
  return { told, add, flush: pieces.flush };
}

test("pieces of one part are told as one, when there is no more", () => {
  const { told, add, flush } = setUp();
  for (const text of ["one ", "two ", "three"]) add("a", text);
  expect(told).toEqual([]);
  flush();
  expect(told).toEqual(["ses/a: one two three"]);
});

test("a piece of another part sends off what is held, so that the order stays", () => {
  const { told, add, flush } = setUp();
  for (const [part, text] of [
    ["a", "1"],
    ["b", "2"],
    ["b", "3"],
    ["a", "4"],
  ] as const)
    add(part, text);
  flush();
  expect(told).toEqual(["ses/a: 1", "ses/b: 23", "ses/a: 4"]);
});

test("nothing is told twice, and nothing when nothing came", () => {
  const { told, add, flush } = setUp();
  flush();
  add("a", "1");
  flush();
  flush();
  add("a", "2");
  flush();
  expect(told).toEqual(["ses/a: 1", "ses/a: 2"]);
});
