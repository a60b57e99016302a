// What an escaped module evaluates to, and what is refused.

import { describe, expect, test } from "bun:test";
import { Script } from "node:vm";
import { asciiCode } from "../../scripts/ascii-code.ts";

const evaluated = (code: string): unknown => new Script(`(${code})`).runInThisContext() as unknown;

describe("asciiCode", () => {
  for (const code of [
    '"… é 𝕏 👩‍💻"',
    "`… ${1} ⏸ 👩‍💻`",
    '"\\\\…"',
    'String(/[⏸-⏺]/.test("⏹"))',
    'String(/^[𝕏👩]$/u.test("👩"))',
    "({ größe: 1 }).größe",
    "({ '…': 1 })",
  ]) {
    test(`keeps the value of ${code}`, () => {
      const ascii = asciiCode(code, "x.js");
      expect(ascii).toMatch(/^[\0-\x7f]*$/);
      expect(evaluated(ascii)).toEqual(evaluated(code));
    });
  }

  for (const code of ["String.raw`a…`", '"\\…"', '"\\\\\\…"']) {
    test(`refuses ${code}`, () => {
      expect(() => asciiCode(code, "x.js")).toThrow("x.js holds");
    });
  }
});
