// The reference in docs/sdk: every public name has an entry, and every function, class and value a sample that uses it.
// `npm run verify -- --only documents` compares the pages with the types and runs the samples.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anchorOf, headingOf, topicOf } from "../../scripts/sdk-document.ts";
import { publicExports, subpathFiles } from "../../scripts/sdk-document/public-exports.ts";
import { topics } from "../../scripts/sdk-document/topics.ts";
import { GraphBuilder } from "../../src/public/graph.ts";
import packageJson from "../../package.json" with { type: "json" };

const root = join(import.meta.dir, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const all = publicExports();

test("the reference knows every subpath of the package", () => {
  const subpaths = Object.keys(packageJson.exports).filter((path) => path !== "./package.json");
  expect(Object.keys(subpathFiles).toSorted()).toEqual(subpaths.map((path) => path.replace(".", "atomic")).toSorted());
});

test("the reference reads the exports of a subpath as a program sees them", async () => {
  for (const [subpath, file] of Object.entries(subpathFiles)) {
    const seen = Object.keys((await import(`../../src/public/${file}`)) as object).toSorted();
    const listed = all.filter((each) => !each.isType && each.subpaths.includes(subpath)).map(({ name }) => name);
    // A class may be exported as a type only.
    expect(seen.filter((name) => !listed.includes(name))).toEqual([]);
  }
});

test("every public name has an entry in docs/sdk, and is in its index", () => {
  const index = read("docs/sdk/README.md");
  const missing = all.filter((each) => {
    const { name } = topicOf(each, all);
    return (
      !read(`docs/sdk/${name}.md`).includes(`\n### ${headingOf(each, all)}\n`) ||
      !index.includes(`[${each.name}](${anchorOf(each, all)})`)
    );
  });
  // `npm run docs` writes them.
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("docs/sdk describes nothing that is not public", () => {
  const names = new Set(all.map(({ name }) => name));
  const described = topics.flatMap(({ name, values }) => [
    ...Object.keys(values),
    ...[...read(`docs/sdk/${name}.md`).matchAll(/^### (\S+)(?: \(type\))?$/gm)].map(([, heading = ""]) => heading),
  ]);
  expect(described.filter((name) => !names.has(name))).toEqual([]);
});

test("every public function, class and value is used by the sample of its page, which the page shows with its output", () => {
  const unused = all
    .filter(({ isType }) => !isType)
    .filter((each) => {
      const sample = read(`examples/sdk/${topicOf(each, all).name}.ts`);
      const code = sample.replaceAll(/^import [\s\S]*?;$/gm, "").replaceAll(/\/\/.*$/gm, "");
      return !new RegExp(`\\b${each.name}\\b`).test(code);
    });
  expect(unused.map(({ name }) => name)).toEqual([]);
  const stale = topics.filter(({ name }) => {
    const page = read(`docs/sdk/${name}.md`);
    return !page.includes(read(`examples/sdk/${name}.ts`)) || !page.includes(read(`examples/sdk/${name}.out`));
  });
  expect(stale.map(({ name }) => name)).toEqual([]);
});

test("the sample of graphs uses every call of the builder", () => {
  const calls = Object.getOwnPropertyNames(GraphBuilder.prototype).filter((name) => name !== "constructor");
  const sample = read("examples/sdk/graphs.ts");
  expect(calls.length).toBeGreaterThan(10);
  expect(calls.filter((name) => !sample.includes(`.${name}(`))).toEqual([]);
});

test("no two entries of a page lead to the same place", () => {
  const anchors = all.map((each) => anchorOf(each, all));
  expect(anchors.filter((anchor, i) => anchors.indexOf(anchor) !== i)).toEqual([]);
});
