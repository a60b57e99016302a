// What `atomic init` and `atomic workflows new` write: small workflows that load, validate and run as they are. A test
// loads and runs each of them.

export type TemplateForm = "prompt" | "graph" | "factory";

/** The first workflow of a project: it needs no agent, so it runs anywhere. */
export const helloWorkflow = `// A first workflow: two steps, and no agent yet. Run it:
//
//   atomic run hello "Ada"
//
// Change it, look at the change, and trust it again: atomic trust

import { graph, toolNode, type BaseState, type WorkflowStateParams } from "atomic/workflows";

export const name = "hello";
export const description = "Greets you and counts the letters of your name";
export const prompt = "optional";
export const options = {
  shout: { type: "boolean", description: "greet in capital letters" },
};

interface State extends BaseState {
  who: string;
  shout: boolean;
  greeting: string;
}

export function createState(params: WorkflowStateParams): State {
  return {
    executionId: params.sessionId,
    outputs: {},
    who: params.prompt || "world",
    shout: params.options["shout"] === true,
    greeting: "",
  };
}

export default function createWorkflow() {
  return graph<State>()
    .start(
      toolNode({
        id: "greet",
        execute: ({ who, shout }) => (shout ? \`HELLO, \${who.toUpperCase()}!\` : \`Hello, \${who}.\`),
        outputMapper: (greeting) => ({ greeting }),
      }),
    )
    .then(
      toolNode({
        id: "count",
        execute: ({ greeting, who }) => {
          const count = [...who].length;
          return \`\${greeting} Your name has \${count} letter\${count === 1 ? "" : "s"}.\`;
        },
      }),
    )
    .compile();
}
`;

/** A new workflow called \`name\`, which is a valid one. */
export function workflowTemplate(name: string, form: TemplateForm): string {
  return { prompt: promptTemplate, graph: graphTemplate, factory: factoryTemplate }[form](name);
}

function promptTemplate(name: string): string {
  return `// The prompt goes to the agent as it is: one turn, no graph.

export const name = ${JSON.stringify(name)};
export const description = "What it does, in one line";
export const version = "1.0.0";
`;
}

function factoryTemplate(name: string): string {
  return `import { agentNode, graph, toolNode, type BaseState } from "atomic/workflows";

export const name = ${JSON.stringify(name)};
export const description = "What it does, in one line";
export const version = "1.0.0";

interface State extends BaseState {
  prompt: string;
  plan: string;
}

export default function createWorkflow() {
  return graph<State>()
    .start(
      agentNode({
        id: "plan",
        prompt: (state) => \`Plan this in at most five steps, and change nothing yet: \${state.prompt}\`,
        outputMapper: ({ output }) => ({ plan: output }),
      }),
    )
    .then(agentNode({ id: "work", prompt: "Do what you planned." }))
    .then(toolNode({ id: "report", execute: (state) => \`Done. The plan was:\\n\${state.plan}\` }))
    .compile();
}
`;
}

function graphTemplate(name: string): string {
  return `import { agentNode, toolNode, type BaseState } from "atomic/workflows";
import type { WorkflowGraphConfig, WorkflowStateParams } from "atomic/types";

export const name = ${JSON.stringify(name)};
export const description = "What it does, in one line";
export const version = "1.0.0";

interface State extends BaseState {
  prompt: string;
  plan: string;
}

export const graphConfig: WorkflowGraphConfig<State> = {
  startNode: "plan",
  nodes: [
    agentNode({
      id: "plan",
      prompt: (state) => \`Plan this in at most five steps, and change nothing yet: \${state.prompt}\`,
      outputMapper: ({ output }) => ({ plan: output }),
    }),
    agentNode({ id: "work", prompt: "Do what you planned." }),
    toolNode({ id: "report", execute: (state) => \`Done. The plan was:\\n\${state.plan}\` }),
  ],
  edges: [
    { from: "plan", to: "work" },
    { from: "work", to: "report" },
  ],
};

export function createState(params: WorkflowStateParams): State {
  return { executionId: params.sessionId, outputs: {}, prompt: params.prompt, plan: "" };
}

export const nodeDescriptions = {
  plan: "Planning",
  work: "Working",
};
`;
}
