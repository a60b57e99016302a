// Types that authors use to write a tasks.json, and an agent by its name alone.

import { agentNode, type BaseState, graph, type Task, type TasksFile } from "atomic/workflows";
import type { TasksFile as FromTypes } from "atomic/types";
import { isSame } from "./expect-type.ts";

const task: Task = { id: "1", name: "Parser", status: "pending", dependencies: [], metadata: { anything: 1 } };
export const file: TasksFile = { version: "1.0", tasks: [task] };
isSame<TasksFile, FromTypes>(true);

// @ts-expect-error a workflow status is not valid in the file
export const wrong: Task = { id: "1", name: "Parser", status: "completed" };

interface State extends BaseState {
  topic: string;
}

export function named(): void {
  graph<State>()
    .start(agentNode({ agent: "debugger" }))
    .then(agentNode({ agent: "worker", prompt: (state) => state.topic }));
  // @ts-expect-error a prompt alone has no name to take an id from
  agentNode<State>({ prompt: "do it" });
}
