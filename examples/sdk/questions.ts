// Questions to a person. A run that asks pauses when nothing else is left to do, and needs no process while it waits.

import { askUserNode, createWaitNode, executeGraph, graph, MemorySaver, waitNode } from "atomic/workflows";

const release = graph()
  .start(askUserNode({ id: "channel", question: "Which channel?", options: ["stable", "beta"], default: "beta" }))
  .then(waitNode({ id: "approve", prompt: "Publish?" }))
  .then(createWaitNode("tag", ({ outputs }) => `Tag for ${String(outputs["channel"])}?`))
  .compile();

const store = new MemorySaver();
const first = await executeGraph(release, { journal: { store, run: "release" } });
console.log(first.status, first.reason, first.questions[0]?.text);

// Later, perhaps in another process. Answers are given by the question's id or text.
const second = await executeGraph(release, {
  journal: { store, run: "release", resume: true },
  answers: { channel: "stable", "Publish?": "yes", tag: "v2" },
});
console.log(second.status, second.state.outputs);
