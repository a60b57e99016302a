import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { systemClock } from "../../lib/clock.ts";
import { loadCatalog, type ToolEntry } from "../catalog.ts";
import { readImportClosure } from "../modules/import-closure.ts";
import { createModuleReader } from "../modules/read-module.ts";
import { tempTree, type TempTree } from "../../../tests/support/temp-tree.ts";
import { createTrustStore } from "../trust/trust-store.ts";
import { createModuleLoader, type WorkflowFileEntry } from "./module-loader.ts";
import {
  catalogOf,
  failureOf,
  graph,
  host,
  load,
  loaderFor,
  project,
  sdk,
  trusted,
  workflowOf,
} from "../../../tests/support/module-loader-kit.ts";

describe("a trusted workflow loads", () => {
  test("as metadata only", async () => {
    using tree = project({ "w.ts": `export const description = "D"; export const prompt = "optional";` });
    const loaded = await load(tree);
    expect(loaded.info).toMatchObject({ name: "w", description: "D", form: "prompt", prompt: "optional" });
    expect(loaded.graph).toBeUndefined();
  });

  test("as a graph config with its state, descriptions and migration", async () => {
    using tree = project({
      "w.ts": `export const graphConfig = { nodes: ["a"], edges: [], startNode: "a" };
        export const stateVersion = 2;
        export function createState(params: { prompt: string }) { return { prompt: params.prompt }; }
        export function migrateState(state: object, from: number) { return { ...state, from }; }
        export const nodeDescriptions = { a: "🧠 Thinking" };`,
    });
    const loaded = await load(tree);
    expect(loaded.graph).toEqual({ nodes: ["a"] });
    expect(loaded.info).toMatchObject({ form: "graph", stateVersion: 2 });
    expect(loaded.createState?.({ prompt: "p" })).toEqual({ prompt: "p" });
    expect(loaded.migrateState?.({ a: 1 }, 1)).toEqual({ a: 1, from: 1 });
    expect(loaded.nodeDescriptions).toEqual({ a: "🧠 Thinking" });
  });

  test("as a factory, which gets the default configuration or another", async () => {
    using tree = project({
      "w.ts": `import { graph } from "atomic/workflows";
        export const defaultConfig = { node: "default" };
        export default function create(config: { node: string }) { return graph([config.node]); }`,
    });
    const loaded = await load(tree);
    expect(loaded.graph).toEqual({ nodes: ["default"] });
    expect(await loaded.create?.({ node: "other" })).toEqual({ nodes: ["other"] });
  });

  test("with computed options, which the listing could not know", async () => {
    using tree = project({
      "w.ts": `const o = () => ({ n: { type: "number", description: "N" } }); export const options = o();`,
    });
    expect(Object.keys(workflowOf(tree).info.options)).toEqual([]);
    expect(Object.keys((await load(tree)).info.options)).toEqual(["n"]);
  });

  test("with one SDK and one zod, shared with the program, and no node_modules anywhere", async () => {
    using tree = project({
      "w.ts": `import fallback, { graph, seen } from "atomic/workflows"; import { z } from "zod"; import "./lib/deep.ts";
        seen.push(graph, z, fallback); export default () => graph([]);`,
      "lib/deep.ts": `import * as sdk from "atomic/workflows"; sdk.seen.push(sdk.graph);`,
    });
    sdk.seen.length = 0;
    await load(tree);
    expect(sdk.seen).toEqual([sdk.graph, sdk.graph, z, "the default"]);
    expect(sdk.seen[2]).toBe(z);
  });

  test("with its helpers, data, texts and lazy imports, and knows where it is", async () => {
    using tree = project({
      "w.ts": `import { help } from "./lib/help"; import config, { depth } from "./config.json"; import yaml from "./c.yaml"; import toml from "./c.toml";
        import text from "../prompts/p.md" with { type: "text" };
        const lazy = await import("./lib/lazy.ts");
        export const nodeDescriptions = { help, lazy: lazy.value, text, depth: String(depth), json: config.name, yaml: yaml.a, toml: toml.a,
          dir: import.meta.dir, path: import.meta.path, near: new URL("./x", import.meta.url).pathname };`,
      "lib/help.ts": `export const help: string = "helped";`,
      "lib/lazy.ts": `enum E { A = "lazy" } export const value = E.A;`,
      "config.json": `{ "name": "json", "depth": 3 }`,
      "c.yaml": "a: yaml",
      "c.toml": `a = "toml"`,
      "../prompts/p.md": "# text",
    });
    const folder = tree.path("p/.atomic/workflows");
    expect((await load(tree)).nodeDescriptions).toEqual({
      help: "helped",
      lazy: "lazy",
      text: "# text",
      depth: "3",
      json: "json",
      yaml: "yaml",
      toml: "toml",
      dir: folder,
      path: `${folder}/w.ts`,
      near: `${folder}/x`,
    });
  });

  test("with a helper that exports nothing and calls require", async () => {
    using tree = project({
      "w.ts": `import "./side.ts"; export const description = globalThis.fromSide;`,
      "side.ts": `globalThis.fromSide = require("node:path").sep;`,
    });
    expect((await load(tree)).info.description).toBe("/");
  });

  for (const folder of ["with space", "ünï", "a#b", "a%20b", "q?x.1", "it's", "dots.1"]) {
    test(`from a folder called ${folder}`, async () => {
      using tree = tempTree({
        [`${folder}/.atomic/workflows/w.ts`]: `import { d } from "./d.ts"; export const description = d;`,
        [`${folder}/.atomic/workflows/d.ts`]: `export const d = "loaded";`,
      });
      const roots = {
        projectDir: tree.path(folder),
        homeDir: tree.path("home"),
        atomicHome: tree.path("home/.atomic"),
      };
      const entry = loadCatalog({ roots }).workflows[0] as WorkflowFileEntry;
      expect((await loaderFor(tree).loadWorkflow(entry, trusted)).info.description).toBe("loaded");
    });
  }

  test("with packages of the project, and modules of the runtime", async () => {
    using tree = project({
      "w.ts": `import { n } from "a-package"; import { sep } from "node:path"; export const description = n + sep;`,
    });
    tree.write({
      "p/node_modules/a-package/package.json": `{ "name": "a-package", "main": "index.js" }`,
      "p/node_modules/a-package/index.js": `exports.n = "n";`,
    });
    expect((await load(tree)).info.description).toBe("n/");
  });

  test("again after a change, with the new helpers too", async () => {
    using tree = project({
      "w.ts": `import { d } from "./d.ts"; export const description = d;`,
      "d.ts": `export const d = "one";`,
    });
    expect((await load(tree)).info.description).toBe("one");
    tree.write({ "p/.atomic/workflows/d.ts": `export const d = "two";` });
    expect((await load(tree)).info.description).toBe("two");
  });
});

describe("what runs is what was hashed", () => {
  test("when files change between the check and the run", async () => {
    using tree = tempTree({
      "w.ts": `import { d } from "./d.ts"; import j from "./j.json"; export const all = [d, j.v, "entry"]; export const later = () => import("./late.ts");`,
      "d.ts": `export const d = "judged";`,
      "j.json": `{ "v": "judged" }`,
      "late.ts": `export const l = "judged";`,
    });
    const closure = readImportClosure(tree.path("w.ts"), { reader: createModuleReader(), hostModules: host.names });
    for (const file of ["w.ts", "d.ts", "late.ts"])
      tree.write({ [file]: `globalThis.swapped = true; export const d = "swapped";` });
    tree.write({ "j.json": `{ "v": "swapped" }` });
    const module = await host.run(closure, 2000);
    expect(module["all"]).toEqual(["judged", "judged", "entry"]);
    const later = module["later"] as () => Promise<{ l: string }>;
    expect((await later()).l).toBe("judged");
    expect("swapped" in globalThis).toBe(false);
  });

  test("when a project's own resolution settings say otherwise", async () => {
    using tree = project({
      "w.ts": `import { d } from "./lib"; import { graph } from "atomic/workflows"; export const description = d; graph([]);`,
      "lib.ts": `export const d = "file";`,
    });
    tree.write({
      "p/.atomic/workflows/lib/package.json": `{ "main": "evil.ts" }`,
      "p/.atomic/workflows/lib/evil.ts": `globalThis.evil = 1; export const d = "evil";`,
      "p/tsconfig.json": `{ "compilerOptions": { "baseUrl": ".", "paths": { "atomic/workflows": ["./evil.ts"], "./lib": ["./evil.ts"] } } }`,
      "p/evil.ts": `globalThis.evil = 2; export const graph = 1; export const d = "evil";`,
      "p/node_modules/atomic/package.json": `{ "name": "atomic", "exports": { "./workflows": "./evil.js" } }`,
      "p/node_modules/atomic/evil.js": `globalThis.evil = 3; export const graph = 1;`,
      "p/bunfig.toml": `preload = ["./evil.ts"]`,
    });
    expect((await load(tree)).info.description).toBe("file");
    expect("evil" in globalThis).toBe(false);
  });
});

test("an untrusted file does not run: not when it is listed, checked or asked for", async () => {
  using tree = project({
    "w.ts": `import "./side.ts"; globalThis.sideEffect = 1; export default () => { globalThis.sideEffect = 2; };`,
    "side.ts": "globalThis.sideEffect = 3;",
  });
  const entry = workflowOf(tree);
  const loader = loaderFor(tree);
  expect(loader.check("workflow", entry.file).decision.isTrusted).toBe(false);
  const failure = await failureOf(loader.loadWorkflow(entry));
  expect(failure.code).toBe("NOT_TRUSTED");
  expect(failure.details["question"]).toMatchObject({ reason: "new", path: entry.file.realPath });
  expect("sideEffect" in globalThis).toBe(false);
});

describe("a tool", () => {
  function toolOf(tree: TempTree): ToolEntry {
    const [entry] = catalogOf(tree).tools;
    if (entry === undefined) throw new Error("no tool");
    return entry;
  }

  test("checks its input and runs", async () => {
    using tree = tempTree({
      "p/.atomic/tools/add.ts": `import { z } from "zod"; export const name = "add"; export const description = "Adds";
        export const parameters = z.object({ a: z.number(), b: z.number() });
        export default ({ a, b }: { a: number; b: number }, ctx: { base: number }) => a + b + ctx.base;`,
    });
    const tool = await loaderFor(tree).loadTool(toolOf(tree), trusted);
    expect(tool).toMatchObject({ name: "add", description: "Adds" });
    expect(tool.execute({ a: 1, b: 2 }, { base: 10 })).toBe(13);
    expect(() => tool.execute({ a: "1" }, { base: 0 })).toThrow();
  });

  test("is refused with every fault", async () => {
    using tree = tempTree({ "p/.atomic/tools/t.ts": `export const parameters = 5; export default 6;` });
    const failure = await failureOf(loaderFor(tree).loadTool(toolOf(tree), trusted));
    expect(failure.message).toContain("default: must be a function");
    expect(failure.message).toContain("parameters: must be a zod schema");
  });

  test("needs trust like a workflow", async () => {
    using tree = tempTree({ "p/.atomic/tools/t.ts": `globalThis.toolRan = 1; export default () => 1;` });
    expect((await failureOf(loaderFor(tree).loadTool(toolOf(tree)))).code).toBe("NOT_TRUSTED");
    expect("toolRan" in globalThis).toBe(false);
  });
});

test("a reader shared with the catalog parses nothing twice and still runs what it read", async () => {
  using tree = project({
    "w.ts": `import { d } from "./d.ts"; export const description = d;`,
    "d.ts": `export const d = "read once";`,
  });
  const reader = createModuleReader();
  const atomicHome = tree.path("home/.atomic");
  const roots = { projectDir: tree.path("p"), homeDir: tree.path("home"), atomicHome };
  const entry = loadCatalog({ roots, reader }).workflows[0] as WorkflowFileEntry;
  const store = createTrustStore(atomicHome, systemClock);
  const loader = createModuleLoader({
    host,
    graph,
    store,
    atomicHome,
    sdkVersion: "0.5.0",
    clock: systemClock,
    reader,
  });
  const checked = loader.check("workflow", entry.file);
  expect(checked.closure.files[0]?.file).toBe(reader.read(entry.file.realPath));
  tree.write({ "p/.atomic/workflows/w.ts": "globalThis.swappedLater = 1;" });
  expect((await loader.loadWorkflow(entry, trusted)).info.description).toBe("read once");
  expect("swappedLater" in globalThis).toBe(false);
});
