// What is loaded before a command does its work, found by following the imports that are not lazy. Speed is measured in
// bench/; this test keeps a convenient import from undoing it.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const projectRoot = join(import.meta.dir, "..");
const transpiler = new Bun.Transpiler({ loader: "ts" });

/** Files of the project and names of packages that loading these files loads. */
function loadedBy(...files: string[]): ReadonlySet<string> {
  const loaded = new Set<string>();
  const waiting = files.map((file) => join(projectRoot, file));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const name = relative(projectRoot, file);
    if (loaded.has(name)) continue;
    loaded.add(name);
    if (!/\.tsx?$/.test(file)) continue;
    for (const { path, kind } of transpiler.scanImports(readFileSync(file))) {
      if (kind === "dynamic-import") continue;
      if (path.startsWith(".")) waiting.push(join(dirname(file), path));
      else if (!path.startsWith("node:")) loaded.add(path);
    }
  }
  return loaded;
}

const packagesOf = (loaded: ReadonlySet<string>): string[] =>
  [...loaded].filter((name) => !name.startsWith("src/")).toSorted();
const commandFiles = [...new Bun.Glob("src/cli/commands/**/*.ts").scanSync({ cwd: projectRoot })];
const ofCommander = ["src/cli/run-commander.ts", "src/cli/build-program.ts"];
const heavy = /^src\/(agents\/[^/]+\/|workflows\/graph\/(?!key)|journal\/|catalog\/load\/|tui\/|testing\/)/;

test("--version loads two files and no package", () => {
  expect([...loadedBy("src/main.ts")].toSorted()).toEqual(["src/lib/version.ts", "src/main.ts"]);
});

test("--help loads neither a command nor a package", () => {
  const loaded = loadedBy("src/cli/run-cli.ts");
  expect(packagesOf(loaded)).toEqual([]);
  expect([...loaded].filter((file) => file.startsWith("src/cli/commands/"))).toEqual([]);
});

test("the help of a command loads commander, and neither engine, agents, stores nor zod", () => {
  const loaded = loadedBy(...ofCommander, ...commandFiles);
  expect(commandFiles.length).toBeGreaterThan(15);
  expect(packagesOf(loaded)).toEqual(["commander"]);
  expect([...loaded].filter((file) => heavy.test(file))).toEqual([]);
});

describe("listing loads neither engine, agents, stores nor zod:", () => {
  const listings: Readonly<Record<string, readonly string[]>> = {
    agents: ["src/app/listing-workspace.ts", "src/app/listings.ts"],
    workflows: ["src/app/listing-workspace.ts", "src/app/listings.ts"],
    commands: ["src/app/listing-workspace.ts", "src/app/slash-commands.ts"],
    config: ["src/app/settings.ts"],
  };
  for (const [name, files] of Object.entries(listings)) {
    test(name, () => {
      const loaded = loadedBy("src/cli/run-command-line.ts", "src/main/create-parts.ts", ...files);
      expect(packagesOf(loaded)).toEqual([]);
      expect([...loaded].filter((file) => heavy.test(file))).toEqual([]);
    });
  }
});

test("the list of runs loads neither engine, agents, catalog nor a package", () => {
  const loaded = loadedBy(
    "src/cli/run-command-line.ts",
    "src/cli/commands/sessions.ts",
    "src/main/create-parts.ts",
    "src/app/create-app.ts",
    "src/app/recorded-runs.ts",
    "src/workflows/sessions/session-store.ts",
    "src/cli/print/session-list.ts",
  );
  expect(packagesOf(loaded)).toEqual([]);
  // Summaries are kept beside the journals: neither a fold of events nor a database is needed.
  expect([...loaded].filter((file) => /^src\/(events|transcript|journal\/sqlite)\//.test(file))).toEqual([]);
  expect(
    [...loaded].filter((file) => /^src\/(agents\/[^/]+\/|workflows\/graph\/(?!model)|catalog\/)/.test(file)),
  ).toEqual([]);
});

test("a run on the embedded agent loads no package but commander before its first turn", () => {
  const loaded = loadedBy(
    "src/cli/run-cli.ts",
    "src/main/create-parts.ts",
    "src/cli/runs/run-workflow.ts",
    "src/cli/runs/resume-run.ts",
    "src/workflows/ralph/definition.ts",
    "src/main/make-agent.ts",
    "src/agents/process/reap-orphans.ts",
    "src/agents/scripted/load-script.ts",
    "src/agents/scripted/scripted-client.ts",
  );
  expect(packagesOf(loaded).filter((name) => !name.startsWith("bun:"))).toEqual(["commander"]);
});
