// docs/agent-setup.md and README.md name the versions and commands that the backends ask for.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test.each([
  "src/agents/claude/claude-program.ts",
  "src/agents/opencode/find-opencode.ts",
  "src/agents/copilot/copilot-program.ts",
])("the oldest version and the installation in %s are those of the pages", (file) => {
  const source = read(file);
  const [, oldest = "none"] = /Version = "(\d+\.\d+\.\d+)"/.exec(source) ?? [];
  const [, install = "none"] = /"(npm install -g [^"]+)"/.exec(source) ?? [];

  expect(read("docs/agent-setup.md")).toContain(` ${oldest} `);
  expect(read("docs/agent-setup.md")).toContain(`\`${install}\``);
  expect(read("README.md")).toContain(`\`${install}\``);
});
