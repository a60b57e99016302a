import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { createTypeAhead } from "./type-ahead.ts";

test("characters wait for the screen, in order; the terminal's own answers do not", () => {
  const stdin = new EventEmitter();
  const seen: string[] = [];
  stdin.on("data", (bytes: Buffer) => seen.push(bytes.toString("utf8")));
  const typed = createTypeAhead();

  expect(["h", "é", "\n"].map(typed.handler)).toEqual([true, true, true]);
  expect(typed.handler("\x1b[?997;1n")).toBe(false);
  typed.release(stdin);
  typed.release(stdin);
  expect(seen).toEqual(["hé\r"]);
  expect(typed.handler("x")).toBe(false);
});
