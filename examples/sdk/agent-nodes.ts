// Nodes that ask an agent. `scriptedAgent` stands for a real one; `createClaudeClient()` and the others take its place.

import { scriptedAgent } from "atomic/testing";
import {
  agentNode,
  clearContextNode,
  commandNode,
  contextMonitorNode,
  executeGraph,
  graph,
  parallelSubagentNode,
  skillNode,
  subagentNode,
} from "atomic/workflows";

const client = scriptedAgent([
  { match: "Plan", steps: [{ say: "1. parser" }, { usage: { inputTokens: 100, outputTokens: 10 } }] },
  { match: "Do what you planned", remembers: "1. parser", steps: [{ say: "done" }] },
  { agent: "debugger", steps: [{ say: "no bug found" }] },
  { agent: "reviewer", steps: [{ say: "looks good" }] },
  { match: "Commit: the parser", steps: [{ say: "committed" }] },
  { match: "Tidy", steps: [{ say: "tidied" }] },
]);
const prompts = { model: undefined, tools: undefined };
const entities = {
  skill: (name: string) => ({ ...prompts, name, prompt: "Commit: $ARGUMENTS" }),
  command: (name: string) => ({ ...prompts, name, prompt: "Tidy up." }),
  agent: (name: string) => ({ ...prompts, name, prompt: `You are the ${name}.` }),
};

const work = graph()
  .start(agentNode({ id: "plan", prompt: "Plan the work." })) // a turn in the session "main"
  .then(agentNode({ id: "work", prompt: "Do what you planned." })) // the same session: it remembers
  .then(contextMonitorNode({ id: "context", threshold: 0.8, action: "compact" }))
  .then(clearContextNode({ id: "fresh" })) // "main" starts afresh
  .then(subagentNode({ id: "check", agent: "debugger", task: "Look for bugs." })) // a session of its own
  .then(
    parallelSubagentNode({
      id: "review",
      agents: ["debugger", "reviewer"].map((agent) => ({ agent, task: "Review it." })),
      concurrency: 2,
    }),
  )
  .then(skillNode({ skill: "commit", args: "the parser" }))
  .then(commandNode({ command: "tidy" }))
  .compile();

const { status, state } = await executeGraph(work, { client, runtime: { entities } });
console.log(status);
console.log(state.outputs);
await client.close();
