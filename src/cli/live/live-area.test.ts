import { expect, test } from "bun:test";
import { createLiveArea } from "./live-area.ts";

function areaOf(lines: readonly string[]) {
  const written: string[] = [];
  const area = createLiveArea({ write: (text) => written.push(text), lines: () => lines });
  const taken = (): string => written.splice(0).join("|");
  return { area, written, taken };
}

test("draws its lines in one write, and rests on the first", () => {
  const { area, taken } = areaOf(["a", "b", "c"]);
  area.start();
  expect(taken()).toBe("\r\x1b[Ja\nb\nc\x1b[2A\r");
  area.close();
  expect(taken()).toBe("\r\x1b[J");
});

test("makes room for what is printed", () => {
  const { area, written, taken } = areaOf(["a"]);
  area.start();
  taken();
  area.above(() => written.push("log\n"));
  expect(taken()).toBe("\r\x1b[J|log\n|\r\x1b[Ja\r");
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
  expect(taken()).toBe("\r\x1b[Ja\r");
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
