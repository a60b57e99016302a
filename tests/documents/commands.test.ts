// Every command that the documents name can be typed: its words and options exist.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readBlocks } from "../../scripts/documents/blocks.ts";
import { runOptions } from "../../src/app/runs/run-options.ts";
import type { CliCommand } from "../../src/cli/command.ts";
import { loadCommands } from "../../src/cli/command-tree.ts";
import { ralphMetadata } from "../../src/workflows/ralph/metadata.ts";
import packageJson from "../../package.json" with { type: "json" };

const root = join(import.meta.dir, "../..");
const pages = ["*.md", "docs/*.md", "examples/*.md"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
  // What was true in an earlier version stays as it was said.
  .filter((page) => page !== "CHANGELOG.md");
const languages = [
  "",
  "console",
  "sh",
  "ts",
  "typescript",
  "js",
  "json",
  "jsonc",
  "markdown",
  "text",
  "message",
  "screen",
];

interface Line {
  readonly page: string;
  readonly text: string;
}

/** Lines of shells, of lists of commands (blocks without a language), and in the text. */
const lines: readonly Line[] = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), "utf8");
  const blocks = readBlocks(text).filter(({ language }) => ["", "sh", "console"].includes(language));
  const typed = blocks.flatMap((block) =>
    block.text
      .split("\n")
      .filter((line) => block.language !== "console" || line.startsWith("$ "))
      .map((line) => line.replace(/^\$ /, "")),
  );
  const inline = [...text.matchAll(/`((?:atomic|npm run) [^`\n]*)`/g)].map(([, command = ""]) => command);
  return [...typed, ...inline].map((line) => ({ page, text: line }));
});

const commands = await loadCommands(undefined);
const common = ["help", "version", "json", "cwd"];

test("every block has a language that a test knows", () => {
  const unknown = pages.flatMap((page) =>
    readBlocks(readFileSync(join(root, page), "utf8"))
      .filter(({ language }) => !languages.includes(language))
      .map(({ language, line }) => `${page}:${line} ${language}`),
  );
  expect(unknown).toEqual([]);
});

test("every command of atomic exists, with the options it is shown with", () => {
  const found = lines.flatMap(({ page, text }) =>
    [...text.matchAll(/(?:^|[|;&] )(?:[A-Z_]+=\S+ )*(?:\.\/bin\/)?atomic((?: [^#|;&]*)?)/g)].map(([, words = ""]) => ({
      page,
      // A word before Tab is unfinished.
      words: words.replace(/ \S*⇥/gu, ""),
    })),
  );
  expect(found.length).toBeGreaterThan(100);
  expect(
    found.flatMap(({ page, words }) => faultsOf(words).map((fault) => `${page}: atomic${words}: ${fault}`)),
  ).toEqual([]);
});

test("every npm script and every file that is run exists", () => {
  const scripts: Readonly<Record<string, string>> = packageJson.scripts;
  const missing = lines.flatMap(({ page, text }) =>
    [
      ...[...text.matchAll(/\bnpm run ([\w:-]+)/g)].filter(([, name = ""]) => scripts[name] === undefined),
      ...[...text.matchAll(/\bscripts\/bun (\S+\.ts)/g)].filter(([, file = ""]) => !existsSync(join(root, file))),
    ].map(([all]) => `${page}: ${all}`),
  );
  expect(missing).toEqual([]);
});

/** What is wrong with the words after `atomic`. Two spaces end a command in a list: what follows describes it. */
function faultsOf(text: string): readonly string[] {
  const line = (text.trimStart().split(/ {2,}/)[0] ?? "").replaceAll(/"[^"]*"|'[^']*'/g, "TEXT");
  const words = line.split(" ").filter((word) => word !== "");
  const options = [...line.matchAll(/(?:^|[ [])--([a-z][a-z-]*)/g)].map(([, name = ""]) => name);
  let level: readonly CliCommand[] = commands;
  const path: CliCommand[] = [];
  for (const word of words) {
    const next = level.find(({ name }) => name === word);
    if (next === undefined) {
      // A word that no command has is an argument, unless only commands can follow.
      const isName = /^[a-z]+$/.test(word) && path.length === 0;
      if (isName) return [`unknown command "${word}"`];
      break;
    }
    path.push(next);
    level = next.subcommands ?? [];
  }
  const isRun = path.some(({ passesThrough, name }) => passesThrough === true || name === "resume");
  const known = new Set([
    ...common,
    ...[
      ...path,
      ...path.flatMap(defaultOf),
      ...(path.length === 0 ? commands.filter(({ name }) => name === "chat") : []),
    ].flatMap((each) => Object.keys(each.options ?? {})),
    ...(isRun ? [...Object.keys(runOptions), ...Object.keys(ralphMetadata.options ?? {}), ...ownOptions] : []),
  ]);
  return options
    .filter((name) => !known.has(name) && !known.has(name.replace(/^no-/, "")))
    .map((name) => `unknown option --${name}`);
}

/** Options of workflows that the pages write themselves. */
const ownOptions = ["words", "check", "shout"];

function defaultOf({ subcommands = [], defaultSubcommand }: CliCommand): readonly CliCommand[] {
  return subcommands.filter(({ name }) => name === defaultSubcommand);
}
