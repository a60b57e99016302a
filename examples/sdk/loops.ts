// Loops as nodes: until an agent says that it is complete, and through a task list.

import { writeFileSync } from "node:fs";
import { scriptedAgent } from "atomic/testing";
import { agentNode, criteriaLoopNode, executeGraph, graph, taskLoopNode, type TaskLoopState } from "atomic/workflows";

const client = scriptedAgent([
  { match: "Improve", times: 1, steps: [{ say: "One more round is needed." }] },
  { match: "Improve", steps: [{ say: "All good.\nCOMPLETE" }] },
  { match: "Implement", steps: [{ say: "implemented" }] },
]);

// The last line of the last output must be exactly the signal.
const improve = graph()
  .start(
    criteriaLoopNode({
      id: "improve",
      taskNodes: agentNode({ id: "round", prompt: "Improve the docs." }),
      completionSignal: "COMPLETE",
      maxIterations: 5,
    }),
  )
  .compile();
const improved = await executeGraph(improve, { client });
console.log(improved.state.outputs, improved.status);

writeFileSync(
  "tasks.json",
  JSON.stringify({
    version: "1.0",
    tasks: [
      { id: "writer", name: "Write", dependencies: ["parser"] },
      { id: "parser", name: "Parse" },
    ],
  }),
);
const order: string[] = [];
const all = graph<TaskLoopState>()
  .start(
    taskLoopNode({
      tasksPath: "tasks.json",
      taskNodes: agentNode({
        id: "work",
        prompt: ({ currentTask }) => {
          order.push(currentTask?.id ?? "");
          return `Implement ${currentTask?.title ?? ""}.`;
        },
      }),
    }),
  )
  .compile();
const finished = await executeGraph(all, { client });
console.log(order, finished.state.allTasksComplete);
await client.close();
