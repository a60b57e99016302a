// What a run gets from outside: agents, workflows by name, tools, a clock. Passed to a run, or set for all of them.

import { scriptedAgent } from "atomic/testing";
import {
  agentNode,
  createRuntime,
  executeGraph,
  getDefaultRuntime,
  getWorkflowResolver,
  graph,
  resolveWorkflowRef,
  setClientProvider,
  setDefaultRuntime,
  setWorkflowResolver,
  subgraphNode,
  systemClock,
  toolNode,
} from "atomic/workflows";

const greet = graph()
  .start(toolNode({ id: "greet", execute: () => "hello" }))
  .compile({ name: "greet" });

// For one run.
const runtime = createRuntime({ workflows: (name) => (name === "greet" ? greet : null), clock: systemClock });
const outer = graph()
  .start(subgraphNode({ id: "inner", subgraph: "greet" }))
  .compile();
console.log((await executeGraph(outer, { runtime })).status);

// For every graph that is run without one.
setWorkflowResolver((name) => (name === "greet" ? greet : null));
console.log(resolveWorkflowRef("greet") === greet, resolveWorkflowRef("nothing"), getWorkflowResolver() !== null);
const client = scriptedAgent([{ steps: [{ say: "fine" }] }]);
setClientProvider(client);
const ask = graph()
  .start(agentNode({ id: "ask", prompt: "How are you?" }))
  .compile();
console.log((await ask.execute()).outputs["ask"]);

setDefaultRuntime({ maxIterations: 3 });
console.log(getDefaultRuntime().maxIterations);

setClientProvider(null);
setWorkflowResolver(null);
await client.close();
