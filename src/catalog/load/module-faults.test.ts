import { describe, expect, test } from "bun:test";
import { type TreeFile } from "../../../tests/support/temp-tree.ts";
import { failureOf, load, loaderFor, project, trusted, workflowOf } from "../../../tests/support/module-loader-kit.ts";

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
    says: ["export only one of them"],
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
  { what: "whose helper is missing", files: { "w.ts": `\nimport "./gone.ts";` }, says: ["w.ts:2", "was not found"] },
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
