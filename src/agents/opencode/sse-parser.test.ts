import { expect, test } from "bun:test";
import { createSseParser } from "./sse-parser.ts";

function parse(text: string, pieceBytes: number): string[] {
  const found: string[] = [];
  const parser = createSseParser((data) => found.push(data));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) parser.push(bytes.subarray(at, at + pieceBytes));
  return found;
}

const stream =
  'id: 1\ndata: {"a":"é😀"}\n\n: a comment\n\nevent: x\r\ndata:two\r\ndata: lines\r\n\r\ndata: not ended\n';

for (const pieceBytes of [1, 2, 3, 7, 1000])
  test(`createSseParser finds the events when the bytes come in pieces of ${pieceBytes}`, () => {
    expect(parse(stream, pieceBytes)).toEqual(['{"a":"é😀"}', "two\nlines"]);
  });

test("createSseParser turns invalid UTF-8 into text", () => {
  const found: string[] = [];
  createSseParser((data) => found.push(data)).push(Buffer.from([...Buffer.from("data: a"), 0xff, 0x0a, 0x0a]));

  expect(found).toEqual(["a\ufffd"]);
});
