// Watching a run. `streamGraph` gives one entry per finished node; `StreamRouter` gives what you ask for: values,
// updates, what nodes emit, everything that is recorded. A slow reader holds the run back; it never piles up.

import { annotation, createNode, graph, Reducers, StreamRouter, streamGraph } from "atomic/workflows/graph";

const count = (id: string, n: number) =>
  createNode<{ total: number }>({
    id,
    execute: ({ emit, progress }) => {
      progress("typing", "."); // Shown, never stored.
      emit("number.added", { n }); // Stored with the run, if it is recorded.
      return { stateUpdate: { total: n } };
    },
  });

const sum = graph({ total: annotation(0, Reducers.sum) })
  .start(count("one", 1))
  .then(count("two", 2))
  .then(count("three", 3))
  .compile();

for await (const step of streamGraph(sum)) {
  console.log(`${step.key} changed ${JSON.stringify(step.update)}, total ${step.state.total}`);
}

for await (const event of new StreamRouter(sum).stream(["custom", "values"])) {
  if (event.mode === "custom") console.log(`${event.nodeId} says ${event.type} ${JSON.stringify(event.data)}`);
  if (event.mode === "values") console.log(`total ${event.state.total}`);
}

// A reader that stops reading stops the run: it pauses, and could be resumed if it were recorded.
for await (const step of streamGraph(sum)) {
  console.log(`${step.nodeId} is enough`);
  break;
}
