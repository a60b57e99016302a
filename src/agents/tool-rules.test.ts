import { expect, test } from "bun:test";
import { isShellAllowed, shellRules, spellRules } from "./tool-rules.ts";

const rules = shellRules({ bash: ["git:*", "npm test", "make *"], edit: ["src/**"] }) ?? [];

test("shell rules allow plain commands that start with their words, or are them", () => {
  for (const command of ["git status", "git", "npm test", "make all", " git log "])
    expect([command, isShellAllowed(command, rules)]).toEqual([command, true]);
  for (const command of ["gitk", "npm test -- x", "rm -rf .", "", "npm"])
    expect([command, isShellAllowed(command, rules)]).toEqual([command, false]);
});

test("shell rules refuse what only starts like an allowed command", () => {
  const hidden = ["&& rm x", "; rm x", "| sh", "$(rm x)", "`rm x`", "> file", "\nrm x", "& rm x", "<(rm x)"];
  for (const rest of hidden) expect([rest, isShellAllowed(`git status ${rest}`, rules)]).toEqual([rest, false]);
});

test("no rules for the shell means no limit", () => {
  expect(shellRules(undefined)).toBeUndefined();
  expect(shellRules({ edit: ["src/**"] })).toBeUndefined();
});

test("rules are spelled with their tool", () => {
  const written = { bash: ["git:*"], edit: ["src/**"] };
  expect(spellRules(written, () => true)).toEqual(["bash(git:*)", "edit(src/**)"]);
  expect(spellRules(written, (name) => name === "edit")).toEqual(["edit(src/**)"]);
});
