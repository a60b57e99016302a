// What happens when a node fails: it is tried again, then its own handler decides, then the graph's `catch`.

import { createNode, executeGraph, graph } from "atomic/workflows/graph";

interface Download {
  executionId: string;
  outputs: Record<string, unknown>;
  text: string;
}

const download = createNode<Download>({
  id: "download",
  // Three tries, with a pause of 10 ms and then of 20 ms. Only what may get better is worth another try.
  retry: { maxAttempts: 3, backoffMs: 10, retryOn: (error) => error.message !== "not found" },
  timeoutMs: 1000, // Of each try. It aborts `signal`.
  execute: ({ attempt }) => {
    console.log(`try ${attempt.number}`);
    if (attempt.number < 3) throw new Error("the line is busy");
    return { stateUpdate: { text: "hello" } };
  },
});

const picky = createNode<Download>({
  id: "picky",
  execute: () => {
    throw new Error("I don't like it");
  },
  // skip: continue, perhaps with an update. Or goto a node, retry once more, abort.
  onError: (error, { state }) => ({ action: "skip", stateUpdate: { text: `${state.text} (${error.message})` } }),
});

const broken = createNode<Download>({
  id: "broken",
  execute: () => {
    throw new Error("out of paper");
  },
});

const apologise = createNode<Download>({
  id: "apologise",
  // The node that an error was routed to gets the failure.
  execute: ({ failure, state }) => ({ stateUpdate: { text: `${state.text}, but: ${failure?.message ?? ""}` } }),
});

const print = graph<Download>().start(download).then(picky).then(broken);
console.log((await print.catch(apologise).compile().execute()).text);

// Without a catch the run fails, and says which node it was. `executeGraph` reports it instead of throwing.
const { status, error, state } = await executeGraph(graph<Download>().start(picky).then(broken).compile(), {
  initialState: { text: "hello" },
});
console.log(`${status}: ${error?.message ?? ""}; so far: ${state.text}`);
