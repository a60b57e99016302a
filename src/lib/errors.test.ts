import { expect, test } from "bun:test";
import { messageOf } from "./errors.ts";

test("messageOf shows whatever was thrown, and never throws itself", () => {
  const cycle: Record<string, unknown> = {};
  cycle["itself"] = cycle;
  const broken = Object.defineProperty(new Error("x"), "message", {
    get: () => {
      throw new Error("inside");
    },
  });
  const trap = (): never => {
    throw new Error("trap");
  };
  const cases: readonly (readonly [unknown, string])[] = [
    [new Error("plain"), "plain"],
    [{ message: "like an error" }, "like an error"],
    ["a text", "a text"],
    [undefined, "undefined"],
    [null, "null"],
    [Symbol("s"), "Symbol(s)"],
    [{ status: 429, retry: [1] }, '{"status":429,"retry":[1]}'],
    [["a", "b"], '["a","b"]'],
    [Object.create(null), "{}"],
    [{ toJSON: () => undefined }, "a value that can't be shown"],
    [{ text: "x".repeat(1000) }, `{"text":"${"x".repeat(491)}…`],
    [cycle, "a value that can't be shown"],
    [broken, "a value that can't be shown"],
    [new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap }), "a value that can't be shown"],
  ];
  for (const [thrown, text] of cases) expect(messageOf(thrown)).toBe(text);
});
