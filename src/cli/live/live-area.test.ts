import { expect, test } from "bun:test";
import { poll } from "../../../tests/cli/cli-world.ts";
import { createLiveArea } from "./live-area.ts";

function areaOf(lines: readonly string[]) {
  const written: string[] = [];
  let at = 0;
  const area = createLiveArea({ write: (text) => written.push(text), lines: () => lines, now: () => at });
  const taken = (): string => written.splice(0).join("|");
  return { area, written, taken, wait: (ms: number) => void (at += ms) };
}

test("draws its lines in one write, and rests on the first", () => {
  const { area, taken } = areaOf(["a", "b", "c"]);
  area.start();
  expect(taken()).toBe("\r\x1b[J\x1b[?7la\nb\nc\x1b[?7h\x1b[2A\r");
  area.close();
  expect(taken()).toBe("\r\x1b[J");
});

test("makes room for what is printed", () => {
  const { area, written, taken, wait } = areaOf(["a"]);
  area.start();
  taken();
  wait(100);
  area.above(() => written.push("log\n"));
  expect(taken()).toBe("\r\x1b[J|log\n|\r\x1b[J\x1b[?7la\x1b[?7h\r");
  area.close();
});

test("writes lines of the log that come fast with the next drawing, in one write", async () => {
  const { area, written, taken, wait } = areaOf(["a"]);
  area.start();
  taken();
  wait(100);
  area.log("first");
  expect(taken()).toBe("\r\x1b[Jfirst\n\x1b[?7la\x1b[?7h\r");
  for (let i = 0; i < 100; i++) area.log(`${i}`);
  expect(written).toEqual([]);
  const log = Array.from({ length: 100 }, (_, i) => `${i}\n`).join("");
  await poll(() => (written[0] === `\r\x1b[J${log}\x1b[?7la\x1b[?7h\r` ? true : undefined));
  area.close();
});

test("keeps the order of the log and of what is printed, and loses nothing at the end", () => {
  const { area, written, taken } = areaOf(["a"]);
  area.log("before the start");
  expect(taken()).toBe("before the start\n");
  area.start();
  taken();
  area.log("one");
  area.above(() => written.push("two\n"));
  area.log("three");
  area.hide();
  area.log("four");
  expect(taken()).toBe("\r\x1b[Jone\n|two\n|three\n|four\n");
  area.show();
  area.log("five");
  taken();
  area.close();
  expect(taken()).toBe("\r\x1b[Jfive\n");
});

test("draws once, and soon, for a hundred lines that are printed at once", async () => {
  const { area, written } = areaOf(["a"]);
  area.start();
  written.length = 0;
  for (let i = 0; i < 100; i++) area.above(() => written.push(`${i}\n`));
  expect(written).toEqual(["\r\x1b[J", ...Array.from({ length: 100 }, (_, i) => `${i}\n`)]);
  await poll(() => (written.at(-1) === "\r\x1b[J\x1b[?7la\x1b[?7h\r" ? true : undefined));
  area.close();
});

test("writes nothing while it is hidden, nor after its end", () => {
  const { area, written, taken } = areaOf(["a"]);
  area.start();
  area.hide();
  taken();
  area.above(() => written.push("log\n"));
  expect(taken()).toBe("log\n");
  area.show();
  expect(taken()).toBe("\r\x1b[J\x1b[?7la\x1b[?7h\r");
  area.close();
  taken();
  area.show();
  expect(taken()).toBe("");
});

test("clears what was there when there is nothing to show", () => {
  let lines: readonly string[] = ["a"];
  const written: string[] = [];
  const area = createLiveArea({ write: (text) => written.push(text), lines: () => lines });
  area.start();
  lines = [];
  area.show();
  expect(written.at(-1)).toBe("\r\x1b[J");
  area.close();
});
