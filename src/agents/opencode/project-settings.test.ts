import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { refuseProjectSettings } from "./project-settings.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-settings-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** A home with a project in it, and files. */
function project(...files: string[]): { cwd: string; home: string } {
  const home = join(root, `home${++count}`);
  const cwd = join(home, "project", "sub");
  mkdirSync(cwd, { recursive: true });
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), "");
  }
  return { cwd, home };
}

for (const file of [
  "project/sub/opencode.json",
  "project/opencode.jsonc",
  "project/.opencode/opencode.json",
  "project/sub/.opencode/plugin/x.js",
  "project/.opencode/plugins/x.ts",
  "project/.opencode/tool/x.ts",
])
  test(`an untrusted project with ${file} is refused, and the file is named`, () => {
    const { cwd, home } = project(file);

    expect(() => refuseProjectSettings(cwd, home)).toThrow(expect.objectContaining({ code: "AGENT_NEEDS_TRUST" }));
    expect(() => refuseProjectSettings(cwd, home)).toThrow(join(home, file.replace(/\/[^/]+\.[jt]s$/, "")));
  });

test("files that OpenCode ignores in an untrusted project, and the user's own, are no reason to refuse", () => {
  const { cwd, home } = project(
    "project/.opencode/agents/a.md",
    "project/AGENTS.md",
    ".opencode/plugin/own.js",
    "opencode.json",
  );

  expect(() => refuseProjectSettings(cwd, home)).not.toThrow();
});

test("a link to a project is looked through", () => {
  const { cwd, home } = project("project/opencode.json");
  const link = join(root, `link${count}`);
  symlinkSync(cwd, link);

  expect(() => refuseProjectSettings(link, home)).toThrow(/opencode\.json/);
});
