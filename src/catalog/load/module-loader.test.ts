import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { systemClock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import { loadCatalog, type ToolEntry, type WorkflowEntry } from "../catalog.ts";
import { readImportClosure } from "../modules/import-closure.ts";
import { createModuleReader } from "../modules/read-module.ts";
import { tempTree, type TempTree, type TreeFile } from "../../../tests/support/temp-tree.ts";
import { createTrustStore } from "../trust/trust-store.ts";
import type { GraphPort, LoadedWorkflow } from "./interpret-workflow.ts";
import { createModuleHost } from "./module-host.ts";
import { createModuleLoader, type ModuleLoader, type WorkflowFileEntry } from "./module-loader.ts";

/** Stands for the SDK: what counts is that author and host share it. */
const sdk = { graph: (nodes: string[]) => ({ nodes }), seen: [] as unknown[], default: "the default" };
const host = createModuleHost({ "atomic/workflows": () => sdk, zod: () => import("zod") }, systemClock);

interface FakeGraph {
  readonly nodes: readonly string[];
}

const graph: GraphPort<FakeGraph> = {
  compileConfig(config) {
    if ("nodes" in config && Array.isArray(config.nodes)) return { nodes: config.nodes };
    const faults = [{ path: "nodes", problem: "must be a list of nodes" }];
    throw new AtomicError("GRAPH_INVALID", "invalid", { details: { faults } });
  },
  fromFactory: (value) =>
    typeof value === "object" && value !== null && "nodes" in value ? (value as FakeGraph) : undefined,
};

function loaderFor(tree: TempTree, limitMs = 2000): ModuleLoader<FakeGraph> {
  const atomicHome = tree.path("home/.atomic");
  const store = createTrustStore(atomicHome, systemClock);
  return createModuleLoader({ host, graph, store, atomicHome, sdkVersion: "0.5.0", clock: systemClock, limitMs });
}

function catalogOf(tree: TempTree) {
  const roots = { projectDir: tree.path("p"), homeDir: tree.path("home"), atomicHome: tree.path("home/.atomic") };
  return loadCatalog({ roots });
}

function workflowOf(tree: TempTree, name = "w"): WorkflowFileEntry {
  const isWanted = (entry: WorkflowEntry): entry is WorkflowFileEntry =>
    entry.info.name === name && entry.file !== undefined;
  const entry = catalogOf(tree).workflows.find(isWanted);
  if (entry === undefined) throw new Error(`no workflow ${name}`);
  return entry;
}

const trusted = { isTrustedForThisRun: true };

async function load(tree: TempTree, name?: string): Promise<LoadedWorkflow<FakeGraph>> {
  return loaderFor(tree).loadWorkflow(workflowOf(tree, name), trusted);
}

/** `w.ts` exports something of a workflow in every test, without a line more. */
function project(files: Readonly<Record<string, TreeFile>>): TempTree {
  const placed = Object.entries(files).map(([path, file]): [string, TreeFile] => {
    const isWorkflow = path === "w.ts" && typeof file === "string";
    return [`p/.atomic/workflows/${path}`, isWorkflow ? `export const version = "1.0.0"; ${file}` : file];
  });
  return tempTree(Object.fromEntries(placed));
}

async function failureOf(promise: Promise<unknown>): Promise<AtomicError> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (AtomicError.is(thrown)) return thrown;
  throw new Error("expected an AtomicError", { cause: thrown });
}

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

interface Bad {
  readonly what: string;
  readonly files: Readonly<Record<string, TreeFile>>;
  readonly code?: string;
  readonly says: readonly string[];
}

const bad: readonly Bad[] = [
  { what: "that throws", files: { "w.ts": `\n\nthrow new TypeError("no way");` }, says: ["w.ts:3", "no way"] },
  { what: "that throws something other than an error", files: { "w.ts": `throw "text";` }, says: ["text"] },
  { what: "whose helper throws", files: { "w.ts": `import "./h.ts";`, "h.ts": `\nnull.x;` }, says: ["h.ts:2"] },
  { what: "that ends the program", files: { "w.ts": "\nprocess.exit(0);" }, says: ["w.ts:2", "process.exit()"] },
  { what: "that loops for ever", files: { "w.ts": "while (true) {}" }, says: ["did not finish loading within 0.4 s"] },
  {
    what: "whose helper loops for ever",
    files: { "w.ts": `import "./h.ts";`, "h.ts": "for (;;) {}" },
    says: ["did not finish"],
  },
  { what: "that waits for ever", files: { "w.ts": "await new Promise(() => {});" }, says: ["did not finish"] },
  {
    what: "whose factory loops for ever",
    files: { "w.ts": "export default () => { while (true) {} };" },
    says: ["default: did not finish"],
  },
  {
    what: "whose factory waits for ever",
    files: { "w.ts": "export default () => new Promise(() => {});" },
    says: ["default: did not finish"],
  },
  {
    what: "whose factory throws",
    files: { "w.ts": `interface State {\n  a: 1;\n}\n\nexport default () => {\n  throw new Error("no graph");\n};` },
    says: ["w.ts:6", "no graph"],
  },
  {
    what: "whose factory returns nothing",
    files: { "w.ts": "export default () => {};" },
    says: ["neither a compiled graph nor a graph builder"],
  },
  {
    what: "whose default is not a function",
    files: { "w.ts": "export default { nodes: [] };" },
    says: ["default: must be a function"],
  },
  {
    what: "of two forms at once",
    files: { "w.ts": "export const graphConfig = { nodes: [] }; export default () => null;" },
    says: ["export one of the two"],
  },
  {
    what: "with an invalid graph",
    files: { "w.ts": "export const graphConfig = { nodes: 5 };" },
    says: ["graphConfig.nodes: must be a list of nodes"],
  },
  {
    what: "with many faults, which are all listed",
    files: {
      "w.ts": `export const graphConfig = 5; export const createState = 1; export const stateVersion = "1"; export const nodeDescriptions = { a: 1 };
        export const options = { agent: { type: "string", description: "x" } }; export const prompt = "maybe"; export const name = ["w"].join("") + "!";`,
    },
    says: [
      "graphConfig: must be",
      "createState: must be",
      "stateVersion: must be",
      "nodeDescriptions.a: must be",
      "options.agent: --agent",
      "prompt: must be",
      "name: must be the literal",
    ],
  },
  {
    what: "with a syntax error",
    files: { "w.ts": "export const a = 1;\nexport const b = ;" },
    says: ["w.ts:2", "Unexpected ;"],
  },
  {
    what: "that imports what its helper does not export",
    files: { "w.ts": `import { x } from "./h.ts"; x;`, "h.ts": "export {};" },
    says: ["'x' not found", "h.ts"],
  },
  { what: "whose helper is missing", files: { "w.ts": `\nimport "./gone.ts";` }, says: ["w.ts:2", "is not there"] },
  {
    what: "whose package is not installed",
    files: { "w.ts": `\n\nimport "not-installed";` },
    says: ["w.ts:3", `"not-installed" is not installed`],
  },
  {
    what: "with broken data",
    files: { "w.ts": `import d from "./d.json"; d;`, "d.json": "{" },
    says: ["d.json", "Not valid JSON"],
  },
  {
    what: "that needs a newer program",
    files: { "w.ts": `export const minSDKVersion = "9.1.0"; throw new Error("ran");` },
    code: "SDK_TOO_OLD",
    says: ["9.1.0", "0.5.0"],
  },
];

describe("a workflow is reported", () => {
  for (const { what, files, code = "WORKFLOW_FILE_INVALID", says } of bad) {
    test(what, async () => {
      using tree = project(files);
      const failure = await failureOf(loaderFor(tree, 400).loadWorkflow(workflowOf(tree), trusted));
      expect(failure.code).toBe(code as never);
      for (const text of says) expect(failure.message).toContain(text);
      expect(failure.message).toContain(tree.path("p/.atomic/workflows/w.ts"));
      expect(failure.message).not.toContain("?atomic=");
    });
  }

  test("and the next one still loads", async () => {
    using tree = project({ "w.ts": "while (true) {}", "good.ts": `export const description = "fine";` });
    await failureOf(loaderFor(tree, 200).loadWorkflow(workflowOf(tree), trusted));
    expect((await load(tree, "good")).info.description).toBe("fine");
  });
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
