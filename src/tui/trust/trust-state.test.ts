import { expect, test } from "bun:test";
import { lineText } from "../rows/line.ts";
import type { TrustRequest } from "./trust-port.ts";
import { firstTrustState, trustKey, trustLines } from "./trust-state.ts";

const key = (name: string) => ({
  name,
  ctrl: false,
  meta: false,
  shift: false,
  sequence: name.length === 1 ? name : "",
});
const facts = { lines: 100, page: 10 };

const subject: TrustRequest = {
  name: "workflow release",
  path: "/projects/parser/.atomic/workflows/release.ts",
  reason: "changed",
  files: [
    {
      name: "release.ts",
      change: "changed",
      text: "one\ntwo\x1b[31m\nthree",
      difference: ["  one", "- 2", "+ two\u202E"],
    },
    { name: "helper.ts", change: "same", text: "export {}" },
    { name: "old.ts", change: "removed" },
  ],
  packages: ["left-pad"],
  runtimeModules: ["node:child_process"],
  computed: [],
};

test("what changed is shown first, all of it on demand, made safe to read", () => {
  const text = (isWhole: boolean): string => trustLines(subject, isWhole, 80).map(lineText).join("\n");

  expect(text(false)).toContain("+ two\u{fffd}");
  expect(text(false)).not.toContain("three");
  expect(text(false)).not.toContain("export {}");
  expect(text(true)).toContain("   2 two␛[31m");
  expect(text(true)).toContain("export {}");
  expect(text(true)).toContain('! It also loads the package "left-pad", which is not checked.');
  expect(text(false)).toContain("old.ts  removed");
});

test("a long line is shown to its last character", () => {
  const text = `const a = 1;${" ".repeat(300)}steal();`;
  const long: TrustRequest = { ...subject, files: [{ name: "a.ts", change: "added", text }] };

  expect(trustLines(long, true, 50).map(lineText).join("")).toContain("steal();");
  for (const line of trustLines(long, true, 50)) expect(Bun.stringWidth(lineText(line))).toBeLessThanOrEqual(50);
});

test("Enter under someone's fingers means no, letters mean nothing, and a choice is made by arrows", () => {
  expect(trustKey(firstTrustState, key("return"), "inspect", facts).choice).toBe("no");
  for (const letter of ["y", "j", "k", "1", "t"])
    expect(trustKey(firstTrustState, key(letter), letter === "j" ? "down" : undefined, facts)).toEqual({
      state: firstTrustState,
    });
  const down = trustKey(firstTrustState, key("down"), "down", facts).state;
  expect(trustKey(down, key("return"), "inspect", facts).choice).toBe("trust");
  const twice = trustKey(down, key("down"), "down", facts).state;
  expect(trustKey(twice, key("return"), "inspect", facts).choice).toBe("once");
  expect(trustKey(twice, key("escape"), "close", facts).choice).toBe("no");
});

test("the text is scrolled by pages, never out of it", () => {
  const end = trustKey(firstTrustState, key("end"), "live", facts).state;
  expect(end.top).toBe(90);
  expect(trustKey(end, key("pagedown"), "pageDown", facts).state.top).toBe(90);
  expect(trustKey(end, key("tab"), "nextTab", facts).state).toMatchObject({ top: 0, isWhole: true });
});
