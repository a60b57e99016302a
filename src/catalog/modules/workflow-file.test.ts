import { describe, expect, test } from "bun:test";
import { Refusal } from "../diagnostics.ts";
import { scanModule } from "./scan-module.ts";
import { describeTool, describeWorkflow, sdkVersionProblem, type WorkflowInfo } from "./workflow-file.ts";

// The three samples of the design documents, as an author writes them.
const metadataOnly = `
export const name = "my-workflow";
export const description = "My custom workflow";
export const aliases = ["mw"];
export const version = "1.0.0";
export const minSDKVersion = "0.4.19";
export const stateVersion = 1;
`;

const graphConfig = `
import { subagentNode, toolNode } from "atomic/workflows/graph";
import type { WorkflowGraphConfig, WorkflowStateParams, WorkflowTask } from "atomic/types";
export const name = "my-workflow";
export const description = "My custom graph-backed workflow";
export const aliases = ["mw"];
export const version = "1.0.0";
export const graphConfig: WorkflowGraphConfig<MyState> = {
  startNode: "planner",
  nodes: [subagentNode({ id: "planner", agent: "planner", task: (s) => s.prompt })],
  edges: [],
};
export function createState(params: WorkflowStateParams): MyState {
  return { executionId: params.sessionId, prompt: params.prompt, tasks: [], outputs: {} };
}
export const nodeDescriptions: Record<string, string> = { planner: "🧠 Planning tasks..." };
`;

const factory = `
import { graph, agentNode } from "@atomic/graph";
export const name = "my-workflow";
export const description = "A custom workflow for XYZ";
export const aliases = ["mw", "custom"];
export const defaultConfig = { depth: 2 };
export default function createWorkflow(config?: Record<string, unknown>): CompiledGraph<S> {
  return graph<S>().start(agentNode("step-1", { prompt: "Do step 1" })).end().compile();
}
`;

const cases: { what: string; source: string; info: Partial<WorkflowInfo>; codes?: string[] }[] = [
  {
    what: "metadata only",
    source: metadataOnly,
    info: {
      name: "my-workflow",
      description: "My custom workflow",
      aliases: ["mw"],
      form: "prompt",
      prompt: "required",
      version: "1.0.0",
      minSDKVersion: "0.4.19",
      stateVersion: 1,
      options: {},
    },
  },
  {
    what: "a graph config",
    source: graphConfig,
    info: { form: "graph", description: "My custom graph-backed workflow" },
  },
  {
    what: "a factory",
    source: factory,
    info: { form: "factory", aliases: ["mw", "custom"], defaultConfig: { depth: 2 } },
  },
  {
    what: "nothing but a default export",
    source: "export default () => null",
    info: { name: "a-file", description: "Custom workflow: a-file", form: "factory", aliases: [] },
  },
  {
    what: "declared options",
    source: `export const prompt = "optional" as const;
      export const options = { dryRun: { type: "boolean", default: false, description: "Change nothing" },
        tag: { type: "string", description: "Tags", repeat: true, default: ["a"] } } as const;`,
    info: {
      prompt: "optional",
      options: {
        dryRun: { type: "boolean", default: false, description: "Change nothing" },
        tag: { type: "string", description: "Tags", repeat: true, default: ["a"] },
      },
    },
  },
  {
    what: "computed fields, which fall back to their defaults",
    source: `import p from "./p.json"; export const name = p.name; export const description = makeText();`,
    info: { name: "a-file", description: "Custom workflow: a-file" },
    codes: ["computed-field", "computed-field"],
  },
  {
    what: "fields of the wrong type, which are left out",
    source: `export const description = 5; export const aliases = "mw"; export const stateVersion = "1"; export const prompt = "maybe";`,
    info: { description: "Custom workflow: a-file", aliases: [], prompt: "required" },
    codes: ["field-type", "field-type", "field-type", "field-type"],
  },
  {
    what: "options with faults, which cost only themselves",
    source: `export const options = { ok: { type: "number", description: "N" }, agent: { type: "string", description: "x" },
      "bad name": { type: "string", description: "x" }, noType: { description: "x" }, wrong: { type: "number", default: "1", description: "x" } };`,
    info: { options: { ok: { type: "number", description: "N" } } },
    codes: ["field-type", "field-type", "field-type", "field-type"],
  },
  {
    what: "aliases that are not names",
    source: `export const aliases = ["ok", "../a", "CON"];`,
    info: { aliases: ["ok"] },
    codes: ["name-invalid", "name-invalid"],
  },
];

describe("describeWorkflow reads", () => {
  for (const { what, source, info, codes = [] } of cases) {
    test(what, () => {
      const described = describeWorkflow("/x/a-file.ts", scanModule(source));
      expect(described?.info).toMatchObject(info);
      expect(described?.notes.map((note) => note.code)).toEqual(codes as never);
    });
  }
});

test("describeWorkflow takes a file that exports nothing of a workflow for a helper", () => {
  expect(describeWorkflow("/x/help.ts", scanModule("export const help = 1; export function add() {}"))).toBeUndefined();
  expect(describeWorkflow("/x/all.ts", scanModule(`export * from "./real.ts";`))?.info.name).toBe("all");
});

const bad: [what: string, path: string, source: string, code: string][] = [
  ["a name that is a path", "/x/a.ts", `export const name = "../a";`, "name-invalid"],
  ["a name with a colon", "/x/a.ts", `export const name = "a:b";`, "name-invalid"],
  ["a name of 5,000 characters", "/x/a.ts", `export const name = "${"n".repeat(5000)}";`, "name-invalid"],
  ["a file called CON", "/x/CON.ts", "export default 1", "name-invalid"],
  ["a syntax error", "/x/a.ts", `export const name = "open`, "syntax"],
];

describe("describeWorkflow refuses", () => {
  for (const [what, path, source, code] of bad) {
    test(what, () => {
      const attempt = (): unknown => describeWorkflow(path, scanModule(source));
      expect(attempt).toThrow(Refusal);
      expect(attempt).toThrow(expect.objectContaining({ code }));
    });
  }
});

test("describeTool reads name and description and asks for a default export", () => {
  const source = `export const name = "weather"; export const description = "Asks"; export default (input) => input;`;
  expect(describeTool("/x/w.ts", scanModule(source)).info).toEqual({ name: "weather", description: "Asks" });
  expect(() => describeTool("/x/w.ts", scanModule(`export const name = "w";`))).toThrow("default export");
});

const versions: [minimum: string | undefined, problem: string | undefined][] = [
  [undefined, undefined],
  ["0.4.19", undefined],
  ["0.5.0", undefined],
  ["0.6.0", "It needs Atomic 0.6.0 or newer; this is 0.5.0. Update Atomic."],
  ["next", 'minSDKVersion "next" is not a version like "0.5.0".'],
];

for (const [minimum, problem] of versions) {
  test(`sdkVersionProblem answers to ${String(minimum)}`, () => {
    expect(sdkVersionProblem(minimum, "0.5.0")).toBe(problem);
  });
}
