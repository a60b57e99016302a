// The design documents' own samples of a workflow author's side compile (with the whole project) and run.
// The samples are in tests/fixtures/documents, as the documents print them; what had to be added is noted there.

import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CompiledGraph, Runtime } from "atomic/workflows/graph";
import {
  agentNode,
  annotation,
  askUserNode,
  clearContextNode,
  commandNode,
  createNode,
  createRuntime,
  executeGraph,
  graph,
  resolveWorkflowRef,
  setWorkflowResolver,
  skillNode,
  subagentNode,
  toolNode,
} from "atomic/workflows/graph";
import type { BaseState, WorkflowDefinition } from "atomic/types";
import { scanModule } from "../../src/catalog/modules/scan-module.ts";
import { describeWorkflow, sdkVersionProblem } from "../../src/catalog/modules/workflow-file.ts";
import { graphOf } from "../../src/workflows/workflow-graph.ts";
import packageJson from "../../package.json" with { type: "json" };
import * as fileFormat from "../fixtures/documents/000-file-format.ts";
import type { AnalysisState, MainState } from "../fixtures/documents/000-subgraph-usage.ts";
import { createNodes } from "../fixtures/documents/000-subgraph-usage.ts";
import * as customWorkflow from "../fixtures/documents/001-custom-workflow.ts";
import createParent from "../fixtures/documents/001-parent-workflow.ts";
import * as declarative from "../fixtures/documents/002-declarative-workflow.ts";
import { MyAnnotation } from "../fixtures/documents/004-annotations.ts";
import { createFakeBridge } from "../support/fake-bridge.ts";

afterEach(() => setWorkflowResolver(null));

/** What is known of a file before it is trusted. */
function describeFile(name: string) {
  const path = join(import.meta.dir, "../fixtures/documents", name);
  return describeWorkflow(path, scanModule(readFileSync(path, "utf8")))?.info;
}

function run<S extends object>(compiled: CompiledGraph<S>, runtime: Partial<Runtime>, initialState: Partial<S> = {}) {
  return executeGraph(compiled, { runtime, initialState });
}

describe("000, a file with metadata only", () => {
  test("is read without being run, and does not need a newer version than this one", () => {
    expect(describeFile("000-file-format.ts")).toMatchObject({ ...fileFormat, form: "prompt" });
    expect(sdkVersionProblem(fileFormat.minSDKVersion, packageJson.version)).toBeUndefined();
  });

  test("runs as one turn of an agent with the prompt", async () => {
    const agents = createFakeBridge();
    const { status, state } = await run(graphOf({ ...fileFormat }), { agents }, { prompt: "make tea" });

    expect(status).toBe("completed");
    expect(agents.calls).toEqual(["main: make tea"]);
    expect(state["outputs"]).toEqual({ prompt: "did: make tea" });
  });
});

describe("000, subgraph nodes", () => {
  const analysis = graph<AnalysisState>()
    .start(toolNode({ id: "read", execute: ({ doc }) => [`read ${doc}`], outputMapper: (results) => ({ results }) }))
    .compile();
  const { analysisNode, researchNode } = createNodes(analysis);
  const first = { document: "a.md", currentTopic: "tea", analysisResults: [] };

  test("run a compiled graph, and a workflow by its name", async () => {
    const research = graph<BaseState & { topic: string }>()
      .start(toolNode({ id: "find", execute: ({ topic }) => `all about ${topic}` }))
      .compile();
    setWorkflowResolver((name) => (name === "research-codebase" ? research : null));
    const state = await graph<MainState>().start(analysisNode).then(researchNode).compile().execute(first);

    expect(state.analysisResults).toEqual(["read a.md"]);
    expect(state.outputs["research"]).toMatchObject({ topic: "tea", outputs: { find: "all about tea" } });
  });

  test("say what the document says when there is no resolver, or no such workflow", async () => {
    const compiled = graph<MainState>().start(researchNode).compile();

    await expect(compiled.execute(first)).rejects.toThrow(
      'Cannot resolve workflow "research-codebase": No workflow resolver set. Call setWorkflowResolver() during application initialization.',
    );
    setWorkflowResolver(() => null);
    await expect(compiled.execute(first)).rejects.toThrow("Workflow not found: research-codebase");
  });
});

describe("001 §5.5, a file that exports a function", () => {
  test("is read without being run", () => {
    expect(describeFile("001-custom-workflow.ts")).toMatchObject({
      name: "my-workflow",
      description: "A custom workflow for XYZ",
      aliases: ["mw", "custom"],
      form: "factory",
    });
  });

  test("gives a graph that runs", async () => {
    const agents = createFakeBridge();
    const { name, description, aliases } = customWorkflow;
    const definition: WorkflowDefinition = { name, description, aliases, createWorkflow: customWorkflow.default };
    const { state } = await run(graphOf(definition), { agents });

    expect(agents.calls).toEqual(["main: Do step 1", "main: Do step 2"]);
    expect(state["outputs"]).toEqual({ "step-1": "did: Do step 1", "step-2": "did: Do step 2" });
  });
});

describe("001 §5.6, a workflow in a workflow", () => {
  test("is found by name while the graph is built, and runs in its place", async () => {
    const child = graph()
      .start(agentNode("work", { prompt: "Work" }))
      .compile();
    setWorkflowResolver((name) => (name === "child-workflow" ? child : null));
    const agents = createFakeBridge();
    const state = await createParent().execute({}, createRuntime({ agents }));

    expect(agents.calls).toEqual(["main: Setup", "main: Work", "main: Cleanup"]);
    expect(state.outputs["run-child"]).toMatchObject({ outputs: { work: "did: Work" } });
  });

  test("that leads back to itself is found with the document's text", () => {
    setWorkflowResolver((name) => resolveWorkflowRef(name === "parent" ? "child" : "parent"));

    expect(() => resolveWorkflowRef("parent")).toThrow(
      "Circular workflow dependency detected: parent -> child -> parent",
    );
  });
});

describe("002 §5.2, a declarative file", () => {
  const { name, description, aliases, version, graphConfig, createState, nodeDescriptions } = declarative;
  const definition: WorkflowDefinition = {
    name,
    description,
    aliases,
    version,
    graphConfig,
    createState,
    nodeDescriptions,
  };

  test("is read without being run", () => {
    expect(describeFile("002-declarative-workflow.ts")).toMatchObject({
      name,
      description,
      aliases,
      version,
      form: "graph",
    });
  });

  test("compiles and runs from the state it makes", async () => {
    const agents = createFakeBridge();
    const state = createState({
      prompt: "make tea",
      sessionId: "0b9e1a54-6c3f-4d8a-9f5e-2f6f4d1c7a10",
      sessionDir: "sessions",
      maxIterations: 50,
      options: {},
      cwd: ".",
    });
    const result = await run(graphOf(definition), { agents }, { ...state });

    expect(agents.calls).toEqual(["planner: make tea"]);
    expect(result.state).toMatchObject({
      executionId: "0b9e1a54-6c3f-4d8a-9f5e-2f6f4d1c7a10",
      outputs: { planner: "did: make tea", execute: "ran: make tea" },
      tasks: [],
    });
  });
});

describe("003 §5.6, nodes that look names up", () => {
  const prompts = { name: "x", prompt: "Do it: $ARGUMENTS", model: "opus", tools: ["bash"] };
  const entities = {
    skill: (name: string) => {
      if (name !== "commit") throw new Error('Skill not found: "comit" (did you mean "commit"?)');
      return prompts;
    },
    command: () => prompts,
    agent: () => prompts,
  };
  interface State extends BaseState {
    topic: string;
  }

  test("skillNode, commandNode and agentNode run what they find, with its arguments", async () => {
    const agents = createFakeBridge();
    const compiled = graph<State>()
      .start(skillNode({ skill: "commit", args: (state) => state.topic }))
      .then(commandNode({ command: "review" }))
      .then(agentNode({ id: "debug", agent: "debugger", prompt: (state) => `debug ${state.topic}` }))
      .compile();
    const { state } = await run(compiled, { agents, entities }, { topic: "tea" });

    expect(agents.calls).toEqual(["fresh: Do it: tea", "fresh: Do it: [no arguments provided]", "debugger: debug tea"]);
    expect(Object.keys(state.outputs)).toEqual(["skill-commit", "command-review", "debug"]);
  });

  test("an unknown name fails the node with the nearest one", async () => {
    const compiled = graph<State>()
      .start(skillNode({ skill: "comit" }))
      .compile();
    const { error } = await run(compiled, { agents: createFakeBridge(), entities });

    expect(error?.message).toContain('Skill not found: "comit" (did you mean "commit"?)');
  });
});

describe("004 §1 and §5, the builder, annotations and factories", () => {
  test("the annotations describe a state that folds", async () => {
    const compiled = graph(MyAnnotation)
      .start(
        createNode({ id: "a", execute: () => ({ stateUpdate: { count: 2, items: ["x"], config: { depth: 1 } } }) }),
      )
      .then(createNode({ id: "b", execute: () => ({ stateUpdate: { count: 3, items: ["y"] } }) }))
      .compile();

    expect(await compiled.execute()).toMatchObject({ count: 5, items: ["x", "y"], config: { depth: 1 } });
  });

  test("the factories take the shapes of §5", async () => {
    const agents = createFakeBridge();
    const compiled = graph<BaseState & { prompt: string }>()
      .start(
        subagentNode({
          id: "plan",
          agentType: "planner",
          instruction: (state) => `plan ${state.prompt}`,
          outputMapper: (result) => ({ prompt: result.output }),
          model: "opus",
          name: "Planner",
          description: "Plans",
        }),
      )
      .then(toolNode({ id: "count", execute: (state) => state.prompt.length, name: "Count", description: "Counts" }))
      .then(agentNode({ id: "work", prompt: (state) => state.prompt, retry: { maxAttempts: 2 }, onError: "count" }))
      .compile();
    const { state } = await run(compiled, { agents }, { prompt: "tea" });

    expect(agents.calls).toEqual(["planner: plan tea", "main: did: plan tea"]);
    expect(state.outputs).toMatchObject({ count: 13, work: "did: did: plan tea" });
  });

  test("every call of the builder's list is there, and chains", async () => {
    const compiled = graph({ ...MyAnnotation, isGood: annotation(false) })
      .start(toolNode({ id: "start", execute: () => 1 }))
      .if((state) => state.count > 0)
      .then(toolNode({ id: "yes", execute: () => 1 }))
      .else()
      .then(toolNode({ id: "no", execute: () => 1 }))
      .endif()
      .loop(createNode({ id: "body", execute: () => ({ stateUpdate: { count: 1 } }) }), {
        until: (state) => state.count >= 2,
        maxIterations: 5,
      })
      .parallel({ branches: [toolNode({ id: "left", execute: () => 1 }), toolNode({ id: "right", execute: () => 1 })] })
      .wait("Go on?")
      .catch(toolNode({ id: "rescue", execute: () => 1 }))
      .end()
      .compile();
    const { status, state } = await executeGraph(compiled, { answers: { "Go on?": "yes" } });

    expect(status).toBe("completed");
    expect(Object.keys(state.outputs)).toEqual(["start", "no", "left", "right", "wait-1"]);
  });
});

describe("001 §5.4 and §5.7, shapes that authors copy", () => {
  test("a loop that clears the context before each turn, and then makes a pull request", async () => {
    let turns = 0;
    const agents = createFakeBridge(() => String(++turns));
    const compiled = graph<BaseState & { allFeaturesPassing: boolean }>()
      .start(agentNode("verify-prerequisites", { prompt: "verify" }))
      .loop(
        clearContextNode("clear-before-feature"),
        agentNode("implement-feature", {
          prompt: "implement",
          outputMapper: (result) => ({ allFeaturesPassing: result.output === "3" }),
        }),
        { until: (state) => state.allFeaturesPassing, maxIterations: 100 },
      )
      .then(agentNode("create-pr", { prompt: "create" }))
      .end()
      .compile();
    await run(compiled, { agents });

    expect(agents.calls).toEqual([
      "main: verify",
      "clear main",
      "main: implement",
      "clear main",
      "main: implement",
      "main: create",
    ]);
  });

  test("a question with a header and options", async () => {
    const compiled = graph()
      .start(askUserNode("target", { question: "Which branch?", header: "PR", options: [{ label: "main" }] }))
      .compile();
    const { questions } = await executeGraph(compiled);

    expect(questions).toMatchObject([{ text: "Which branch?", header: "PR", options: [{ label: "main" }] }]);
  });
});
