// docs/authoring.md, followed step by step in an empty folder: files are written as shown, commands are
// typed as shown, and every line that stands below a command is in what it prints.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld } from "./cli-world.ts";

const projectRoot = join(import.meta.dir, "../..");
const guide = readFileSync(join(projectRoot, "docs/authoring.md"), "utf8");
const world = createCliWorld();

interface Step {
  readonly language: string;
  readonly text: string;
  /** The file that a block shows: the line before it names it. */
  readonly file: string | undefined;
}

const steps: readonly Step[] = [...guide.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, file, language = "", text = ""]) => ({ language, text, file }),
);

test("everything in docs/authoring.md works as it is shown", async () => {
  const kinds = steps.map((step) => step.language);
  expect(kinds).toEqual(["console", "ts", "console", "json", "console", "console"]);
  for (const { language, text, file } of steps) {
    if (language !== "console") {
      expect(file).toBeString();
      world.write(`project/${file}`, text);
      continue;
    }
    for (const block of text.split(/^\$ /m).slice(1)) {
      const [line = "", ...expected] = block.trimEnd().split("\n");
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
      const run = await world.run(words.slice(1));
      for (const shown of expected) expect(run.stdout).toContain(shown);
      expect({ line, exitCode: run.exitCode }).toEqual({ line, exitCode: 0 });
    }
  }
  const tsc = Bun.spawnSync([join(projectRoot, "node_modules/.bin/tsc"), "-p", ".atomic"], {
    cwd: world.project,
    env: world.env,
  });
  expect(tsc.stdout.toString()).toBe("");
}, 120_000);
