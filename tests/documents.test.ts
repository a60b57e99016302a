// Documents name files that exist, and stay as short as they promise.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const projectRoot = join(import.meta.dir, "..");
const documents = ["*.md", "docs/**/*.md", "examples/**/*.md"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: projectRoot })])
  .map((file) => ({ file, text: readFileSync(join(projectRoot, file), "utf8") }));

test("every path in backticks exists", () => {
  const missing = documents.flatMap(({ file, text }) =>
    [...text.matchAll(/`((?:src|scripts|tests|docs|bin|examples|bench|types)\/[\w./-]*)`/g)]
      .map(([, path = ""]) => path)
      .filter((path) => !existsSync(join(projectRoot, path)))
      .map((path) => `${file}: ${path}`),
  );

  expect(documents.length).toBeGreaterThan(5);
  expect(missing).toEqual([]);
});

test("every source file that a decision names without its folder exists", () => {
  const names = new Set(
    [...new Bun.Glob("{src,scripts,tests,bench}/**/*.{ts,tsx,js}").scanSync({ cwd: projectRoot })].map((path) =>
      basename(path),
    ),
  );
  const named = documents
    .filter(({ file }) => file.startsWith("docs/decisions/"))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/`([\w-]+(?:\.\w+)?\.tsx?)`/g)].map(([, name = ""]) => ({ file, name })),
    );

  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => !names.has(name))).toEqual([]);
});

test("every relative link leads to a file, and to a heading when it names one", () => {
  const broken = documents.flatMap(({ file, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, path = "", anchor]) => !leadsSomewhere(path === "" ? file : join(dirname(file), path), anchor))
      .map(([link]) => `${file}: ${link}`),
  );

  expect(broken).toEqual([]);
});

function leadsSomewhere(path: string, anchor: string | undefined): boolean {
  const target = join(projectRoot, path);
  if (!existsSync(target)) return false;
  if (anchor === undefined) return true;
  const headings = readFileSync(target, "utf8").matchAll(/^#+ (.*)$/gm);
  return [...headings].some(
    ([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-") === anchor.toLowerCase(),
  );
}

test("AGENTS.md has fewer than 120 lines", () => {
  expect(readFileSync(join(projectRoot, "AGENTS.md"), "utf8").split("\n").length).toBeLessThan(120);
});

test("every decision is numbered once, in its title too, and fits on a page", () => {
  const decisions = documents.filter(({ file }) => file.startsWith("docs/decisions/"));
  const numbers = decisions.map(({ file }) => /^docs\/decisions\/(\d{3})-[a-z0-9-]+\.md$/.exec(file)?.[1] ?? file);

  expect(numbers.filter((number, i) => numbers.indexOf(number) !== i || number.length !== 3)).toEqual([]);
  const untitled = decisions.filter(({ text }, i) => !new RegExp(`^# ${numbers[i]}: \\S`).test(text));
  expect(untitled.map(({ file }) => file)).toEqual([]);
  const known = new Set(numbers);
  const unknown = decisions.flatMap(({ file, text }) =>
    [...text.matchAll(/\bdecisions? (\d{3})\b/g)]
      .filter(([, number = ""]) => !known.has(number))
      .map(([name]) => `${file}: ${name}`),
  );
  expect(unknown).toEqual([]);
  expect(decisions.filter(({ text }) => text.split(/\s+/).length > 500).map(({ file }) => file)).toEqual([]);
});

test("README.md and docs/README.md link every page", () => {
  const pages = documents.map(({ file }) => file).filter((file) => /^docs\/(sdk\/README|[^/]+)\.md$/.test(file));
  const textOf = (name: string): string => documents.find(({ file }) => file === name)?.text ?? "";
  const others = (index: string): readonly string[] => pages.filter((file) => file !== index);

  expect(others("docs/README.md").filter((file) => !textOf("README.md").includes(`](${file})`))).toEqual([]);
  const index = textOf("docs/README.md");
  expect(others("docs/README.md").filter((file) => !index.includes(`](${file.replace("docs/", "")})`))).toEqual([]);
});
