// Pages are followed step by step by a reader with an empty folder and the real program. README.md is here, as a sample;
// the stage `documents` of `npm run verify` follows all of them.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readBlocks, readCommands } from "../../scripts/documents/blocks.ts";
import { playedPages } from "../../scripts/documents/pages.ts";
import { createReader, playPage } from "../../scripts/documents/play-page.ts";
import { isSameOutput } from "../../scripts/documents/same-output.ts";
import { withScreens } from "../../scripts/documents/screens.ts";

const root = join(import.meta.dir, "../..");
const program = process.env["ATOMIC_TEST_PROGRAM"] ?? join(root, "bin/atomic");
const patienceMs = 120_000;
const read = (page: string): string => readFileSync(join(root, page), "utf8");

test(
  "README.md shows what the program prints",
  async () => {
    using reader = createReader(program);
    // `npm run docs` writes it into the page.
    expect((await playPage(read("README.md"), reader)).faults).toEqual([]);
  },
  patienceMs,
);

test(
  "a page that shows something else, leaves an exit code out, or shows nothing is found out",
  async () => {
    using reader = createReader(program);
    const page = [
      "`a.txt`:\n\n```text\none\n```",
      "<!-- run: echo two >> a.txt -->\n\n```console\n$ cat a.txt\none\ntwo\n$ cat a.txt\none\n…\n```",
      "```console\n$ cat a.txt\nthree\n$ false\n$ echo b\n…\n$ false\n$ echo $?\n1\n```",
    ].join("\n\n");
    const { commands, faults, corrected } = await playPage(page, reader);

    expect(commands).toBe(7);
    expect(faults.map((fault) => fault.split("\n")[0])).toEqual([
      "line 18: $ cat a.txt",
      "line 18: $ false",
      "line 18: $ echo b",
    ]);
    expect((await playPage(corrected.replace("$ false\n$ echo b", "$ echo b"), reader)).faults).toEqual([]);
  },
  patienceMs,
);

test("docs/authoring.md tests five workflows, and each survives every crash", () => {
  const commands = readBlocks(read("docs/authoring.md"))
    .filter(({ language }) => language === "console")
    .flatMap(({ text }) => readCommands(text));
  const tested = commands.filter(({ line }) => line.startsWith("atomic test "));

  expect(tested.map(({ line }) => /workflows\/(\w+)\.ts/.exec(line)?.[1])).toEqual([
    "explain",
    "triage",
    "audit",
    "fix",
    "ship",
  ]);
  for (const { shown } of tested) expect(shown.join("\n")).toMatch(/✓ \w+: completed, .* crashes left no trace/);
});

test("consoles are only on pages that are played", () => {
  const played = new Set(playedPages.map(({ page }) => page));
  const others = ["*.md", "docs/**/*.md", "examples/**/*.md"]
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
    .filter((page) => !played.has(page) && readBlocks(read(page)).some(({ language }) => language === "console"));
  expect(others).toEqual([]);
});

test("no command of a console shows only that something was left out", () => {
  const empty = playedPages.flatMap(({ page }) =>
    readBlocks(read(page))
      .filter(({ language }) => language === "console")
      .flatMap(({ text }) => readCommands(text))
      .filter(({ shown }) => shown.length > 0 && shown.every((line) => line === "…"))
      .map(({ line }) => `${page}: ${line}`),
  );
  expect(empty).toEqual([]);
});

test("screens of docs/terminal-ui.md are frames that tests have drawn", () => {
  const page = read("docs/terminal-ui.md");
  expect(readBlocks(page).filter(({ language }) => language === "screen").length).toBeGreaterThan(1);
  // `npm run docs` writes them.
  expect(withScreens(page)).toBe(page);
});

test("output that differs in ids, times and left-out lines is the same, and in anything else is not", () => {
  const id = "0b9e1a54-6c3f-4d8a-9f5e-2f6f4d1c7a10";
  expect(isSameOutput(["run 1f0c2a7e took 3s", "…", "end"], ["run 0b9e1a54 took 120 ms", "a", "b", "end"])).toBe(true);
  expect(isSameOutput([`id ${id}`], ["id 00000000-0000-4000-8000-000000000000"])).toBe(true);
  expect(isSameOutput(["a", "…"], ["a"])).toBe(true);
  const remark = "! Something has kept the program busy for 10 s, so nothing else can run.";
  expect(isSameOutput(["a"], [remark, "a"])).toBe(true);
  expect(isSameOutput(["3 files"], ["4 files"])).toBe(false);
  expect(isSameOutput(["a"], ["a", "b"])).toBe(false);
  expect(isSameOutput(["a", "…", "c"], ["a", "b"])).toBe(false);
});
