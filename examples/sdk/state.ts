// Each key of the state has a default and a reducer that folds updates into it. The type follows from them.

import { annotation, AtomicStateAnnotation, createNode, graph, Reducers } from "atomic/workflows";

const annotations = {
  ...AtomicStateAnnotation, // executionId, lastUpdated, outputs: there anyway
  title: annotation("untitled"), // each update replaces it
  findings: annotation<string[]>([], Reducers.concat),
  cost: annotation(0, Reducers.sum),
  tasks: annotation<{ id: string; status: string }[]>([], Reducers.mergeById),
  longest: annotation("", (current, update) => (update.length > current.length ? update : current)),
};

const first = createNode<{ findings: string[]; cost: number; tasks: { id: string; status: string }[] }>({
  id: "first",
  execute: () => ({ stateUpdate: { findings: ["a"], cost: 1, tasks: [{ id: "1", status: "pending" }] } }),
});
const second = createNode<{
  findings: string[];
  cost: number;
  longest: string;
  tasks: { id: string; status: string }[];
}>({
  id: "second",
  execute: () => ({
    stateUpdate: { findings: ["b"], cost: 2, longest: "long", tasks: [{ id: "1", status: "completed" }] },
  }),
});

const state = await graph(annotations).start(first).then(second).compile().execute();
console.log(state.title, state.findings, state.cost, state.longest, state.tasks);
console.log(Object.keys(Reducers).join(", "));
