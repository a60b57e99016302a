// Run a workflow as `atomic run` does, from a program: a journal, a folder per run, limits, questions, sub-agents.

import { scriptedAgent } from "atomic/testing";
import { agentNode, executeWorkflow, graph, type BaseState, type WorkflowDefinition } from "atomic/workflows";

interface State extends BaseState {
  prompt: string;
  words: number;
}

const notes: WorkflowDefinition = {
  name: "notes",
  description: "Drafts release notes",
  options: { words: { type: "number", default: 20, description: "the most words" } },
  createState: ({ sessionId, prompt, options }): State => ({
    executionId: sessionId,
    outputs: {},
    prompt,
    words: Number(options["words"]),
  }),
  createWorkflow: () =>
    graph<State>()
      .start(agentNode({ id: "draft", prompt: ({ prompt, words }) => `At most ${words} words about ${prompt}.` }))
      .compile(),
};

const client = scriptedAgent([
  {
    match: "20 words about the parser",
    steps: [{ say: "It reads comments." }, { usage: { inputTokens: 50, outputTokens: 5, costUsd: 0.001 } }],
  },
]);
const result = await executeWorkflow(notes, {
  client,
  prompt: "the parser",
  limits: { maxCostUsd: 1 },
  dir: "runs", // default: ~/.atomic/workflows/library
  onEvent: ({ type }) => {
    if (type === "agent.turn-finished") console.log(type);
  },
});
console.log(result.status, result.state["outputs"]);
await client.close();
