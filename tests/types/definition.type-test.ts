// A workflow's definition: every form fits, whatever its state, and wrong ones do not compile.

import type { WorkflowDefinition, WorkflowStateParams } from "atomic/types";
import { type BaseState, compileGraphConfig, graph, toolNode, type WorkflowGraphConfig } from "atomic/workflows";
import { isSame } from "./expect-type.ts";

interface State extends BaseState {
  prompt: string;
  depth: number;
}

const graphConfig: WorkflowGraphConfig<State> = {
  startNode: "work",
  nodes: [toolNode({ id: "work", execute: (state) => state.depth })],
  edges: [],
};

export const declarative: WorkflowDefinition = {
  name: "dig",
  description: "Digs",
  aliases: ["d"],
  version: "1.0.0",
  minSDKVersion: "0.5.0",
  stateVersion: 2,
  migrateState: (state, fromVersion) => ({ ...state, depth: fromVersion }),
  argumentHint: "WHERE [--depth N]",
  source: "local",
  prompt: "optional",
  options: {
    depth: { type: "number", default: 3, description: "How deep" },
    tool: { type: "string", description: "With what", repeat: true },
    isDry: { type: "boolean", description: "Only look" },
  },
  graphConfig,
  createState: (params) => {
    isSame<typeof params, WorkflowStateParams>(true);
    return { executionId: params.sessionId, outputs: {} };
  },
  nodeDescriptions: { work: "Digging" },
};

export const metadataOnly: WorkflowDefinition = { name: "ask", description: "Asks" };

export const factory: WorkflowDefinition = {
  name: "dig",
  description: "Digs",
  defaultConfig: { depth: 2 },
  createWorkflow: (config) => graph<State>().start(toolNode({ id: "a", execute: () => String(config?.["depth"]) })),
};

export const compiled: WorkflowDefinition = {
  name: "dig",
  description: "Digs",
  createWorkflow: () => compileGraphConfig(graphConfig),
};

// @ts-expect-error a workflow has a name
export const nameless: WorkflowDefinition = { description: "Digs" };

export const wrongOption: WorkflowDefinition = {
  name: "dig",
  description: "Digs",
  // @ts-expect-error options are strings, numbers or booleans
  options: { when: { type: "date", description: "When" } },
};

export const wrongState: WorkflowDefinition = {
  name: "dig",
  description: "Digs",
  // @ts-expect-error a state has an executionId and outputs
  createState: () => ({ prompt: "x" }),
};

export const wrongGraph: WorkflowDefinition = {
  name: "dig",
  description: "Digs",
  // @ts-expect-error a graph has nodes
  graphConfig: { startNode: "a", edges: [] },
};

export const wrongFactory: WorkflowDefinition = {
  name: "dig",
  description: "Digs",
  // @ts-expect-error a factory gives a graph or a builder
  createWorkflow: () => ({ nodes: [] }),
};
