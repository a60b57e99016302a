import { describe, expect, test } from "bun:test";
import { Refusal } from "../diagnostics.ts";
import { tempTree, type TreeFile } from "../../../tests/support/temp-tree.ts";
import { readImportClosure, type ImportClosure } from "./import-closure.ts";
import { createModuleReader } from "./read-module.ts";

const hostModules: ReadonlySet<string> = new Set(["atomic/workflows", "atomic/workflows/graph", "zod"]);

function closureOf(entry: string): ImportClosure {
  return readImportClosure(entry, { reader: createModuleReader(), hostModules });
}

test("readImportClosure follows relative imports of every kind, each file once", () => {
  using tree = tempTree({
    "w/main.ts": `import { a } from "./a"; import b from "./lib/b.js"; import data from "./data.json";
      import text from "../prompts/p.md" with { type: "text" }; const lazy = () => import("./lazy.ts"); import type { T } from "./types-only";
      import { graph } from "atomic/workflows"; import { z } from "zod"; import fs from "node:fs"; import path from "path"; import pad from "left-pad"; import(lazy);`,
    "w/a.ts": `import "./main.ts"; export const a = 1;`,
    "w/lib/b.ts": `import "."; export default 2;`,
    "w/lib/index.ts": `export {};`,
    "w/data.json": "{}",
    "w/lazy.ts": "export {};",
    "prompts/p.md": "# p",
  });
  const closure = closureOf(tree.path("w/main.ts"));
  expect(closure.files.map((each) => each.path)).toEqual(
    ["w/main.ts", "w/a.ts", "w/lib/b.ts", "w/data.json", "prompts/p.md", "w/lazy.ts", "w/lib/index.ts"].map((path) =>
      tree.path(path),
    ),
  );
  expect(closure.files.map((each) => each.loader)).toEqual(["ts", "ts", "ts", "json", "text", "ts", "ts"]);
  expect(closure.packages).toEqual(["left-pad"]);
  expect(closure.runtimeModules).toEqual(["node:fs", "path"]);
  expect(closure.computed).toEqual([{ path: tree.path("w/main.ts"), line: 3, what: "import()" }]);
});

const base: Readonly<Record<string, TreeFile>> = {
  "main.ts": `import "./a.ts"; export const name = "x";`,
  "a.ts": `import d from "./d.txt"; export {};`,
  "d.txt": "hello",
};
const changes: [what: string, files: Readonly<Record<string, TreeFile>>, isSame: boolean][] = [
  ["nothing", {}, true],
  ["a file without importers", { "other.ts": "export {};" }, true],
  ["the entry", { "main.ts": `import "./a.ts"; export const name = "y";` }, false],
  ["an import of an import", { "d.txt": "hello!" }, false],
  ["a comment", { "a.ts": `import d from "./d.txt"; export {}; // new` }, false],
];

describe("the hash of a closure", () => {
  for (const [what, files, isSame] of changes) {
    test(`${isSame ? "stays when" : "changes when"} ${what} changes`, () => {
      using tree = tempTree(base);
      const before = closureOf(tree.path("main.ts")).hash;
      tree.write(files);
      expect(closureOf(tree.path("main.ts")).hash === before).toBe(isSame);
    });
  }

  test("does not depend on where the project is", () => {
    using one = tempTree(base);
    using two = tempTree(base);
    expect(closureOf(one.path("main.ts")).hash).toBe(closureOf(two.path("main.ts")).hash);
  });

  test("distinguishes a link's old target from its new one", () => {
    using tree = tempTree({
      "main.ts": `import "./l.ts";`,
      "one.ts": "1;",
      "two.ts": "2;",
      "l.ts": { link: "one.ts" },
    });
    const before = closureOf(tree.path("main.ts"));
    expect(before.files.map((each) => each.path)).toEqual([tree.path("main.ts"), tree.path("one.ts")]);
    using other = tempTree({
      "main.ts": `import "./l.ts";`,
      "one.ts": "1;",
      "two.ts": "2;",
      "l.ts": { link: "two.ts" },
    });
    expect(closureOf(other.path("main.ts")).hash).not.toBe(before.hash);
  });
});

const refused: [what: string, files: Readonly<Record<string, TreeFile>>, code: string, text: string][] = [
  ["a missing file", { "main.ts": `\nimport "./nope";` }, "import", `"./nope" was not found.`],
  [
    "a missing file of an import",
    { "main.ts": `import "./a";`, "a.ts": `\n\nimport "./b";` },
    "import",
    `a.ts:3: "./b" was not found.`,
  ],
  [
    "a subpath that is not ours",
    { "main.ts": `import "atomic/workflow";` },
    "import",
    `Did you mean "atomic/workflows"?`,
  ],
  ["a package that takes our name", { "main.ts": `import "@atomic/evil";` }, "import", "There is no"],
  ["code from the network", { "main.ts": `import "https://example.com/x.ts";` }, "import", "can't be imported"],
  ["a macro", { "main.ts": `\nimport { x } from "pkg" with { type: "macro" }; x();` }, "import", "as a macro"],
  ["a macro by its old name", { "main.ts": `import { x } from "macro:pkg"; x();` }, "import", "as a macro"],
  [
    "a macro that the scan overlooks",
    { "main.ts": `import { x } from "pkg" with { a: "b", c: "d", e: "f", g: "h", type: "macro" }; x();` },
    "syntax",
    "Macros are disabled",
  ],
  [
    // The scan takes all between the slashes for a pattern.
    "an import that the scan overlooks beside another of the same name",
    { "main.ts": `import "./a";\nconst f = function () {} / [await import("./a")] / 2;`, "a.ts": "", "a.tsx": "" },
    "import",
    `"./a" can't be followed safely`,
  ],
  ["JSX", { "main.ts": `import "./a.tsx";`, "a.tsx": "<a/>" }, "import", "JSX"],
  ["CommonJS", { "main.ts": `import "./a.cjs";`, "a.cjs": "" }, "import", "CommonJS"],
  ["a native module", { "main.ts": `import "./a.node";`, "a.node": "" }, "import", `".node" files`],
  ["a syntax error", { "main.ts": `import "./a";`, "a.ts": "export const x = ;" }, "syntax", "a.ts:1: Unexpected ;"],
  [
    "brackets that would exhaust a stack",
    { "main.ts": `import "./a";`, "a.ts": "(".repeat(100_000) },
    "syntax",
    "a.ts",
  ],
  ["a folder as a file", { "main.ts": `import "./a.ts";`, "a.ts": { folder: true } }, "import", "was not found"],
  ["invalid UTF-8", { "main.ts": `import "./a.ts";`, "a.ts": new Uint8Array([0xc3, 0x28]) }, "not-utf8", "a.ts: "],
  ["a file of 2 MB", { "main.ts": `import "./a.ts";`, "a.ts": " ".repeat(2 * 1024 * 1024) }, "too-large", "a.ts: "],
];

describe("readImportClosure refuses", () => {
  for (const [what, files, code, text] of refused) {
    test(what, () => {
      using tree = tempTree(files);
      let thrown: unknown;
      try {
        closureOf(tree.path("main.ts"));
      } catch (refusal) {
        thrown = refusal;
      }
      expect(thrown).toBeInstanceOf(Refusal);
      expect(thrown).toMatchObject({ code, message: expect.stringContaining(text) });
    });
  }
});
