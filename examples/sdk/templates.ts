// Common shapes as builders. Extend them, or compile them as they are.

import { type BaseState, createNode, mapReduce, reviewCycle, sequential, taskLoop, toolNode } from "atomic/workflows";

const say = (id: string) => toolNode<BaseState>({ id, execute: () => id });
console.log(
  Object.keys(
    (
      await sequential([say("a"), say("b")])
        .compile()
        .execute()
    ).outputs,
  ),
);

interface Text extends BaseState {
  text: string;
}
const words = mapReduce<Text>({
  splitter: toolNode({ id: "split", execute: ({ text }) => text.split(" ") }),
  worker: toolNode({ id: "measure", execute: ({ item }) => (item as string).length }),
  merger: toolNode({ id: "join", execute: ({ outputs }) => outputs["measure"] }),
});
console.log((await words.compile().execute({ text: "tea milk" })).outputs["join"]);

interface Draft extends BaseState {
  text: string;
}
const write = (id: string, change: (text: string) => string) =>
  toolNode<Draft, string>({ id, execute: ({ text }) => change(text), outputMapper: (text) => ({ text }) });
const reviewed = reviewCycle<Draft>({
  executor: write("write", () => "tpyo"),
  reviewer: toolNode({ id: "review", execute: ({ text }) => text.includes("tpyo") }),
  fixer: write("fix", (text) => text.replace("tpyo", "typo")),
  until: ({ text }) => !text.includes("tpyo"),
});
console.log((await reviewed.compile().execute()).text);

interface Tasks extends BaseState {
  tasks: { id: string; status: string }[];
}
const tasks = taskLoop<Tasks>({
  decomposer: createNode({
    id: "plan",
    execute: () => ({ stateUpdate: { tasks: ["1", "2"].map((id) => ({ id, status: "pending" })) } }),
  }),
  worker: createNode({
    id: "work",
    execute: ({ state }) => {
      const next = state.tasks.find(({ status }) => status === "pending");
      return {
        stateUpdate: { tasks: state.tasks.map((task) => (task === next ? { ...task, status: "completed" } : task)) },
      };
    },
  }),
});
console.log((await tasks.compile().execute()).tasks.map(({ status }) => status));

// A template is a builder: add to it what is missing.
const longer = sequential([say("first")]).then(say("second"));
console.log(Object.keys((await longer.compile().execute()).outputs));
