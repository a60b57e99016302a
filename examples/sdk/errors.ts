// An error that a caller can act on has a code. Recognize it by its code, not by `instanceof` or its message.

import { AtomicError, executeGraph, graph, MemorySaver, toolNode } from "atomic/workflows";

const nothing = graph()
  .start(toolNode({ id: "nothing", execute: () => null }))
  .compile();

try {
  await executeGraph(nothing, { journal: { store: new MemorySaver(), run: "unknown", resume: true } });
} catch (error) {
  if (AtomicError.is(error, "RUN_NOT_FOUND")) console.log(error.code, error.retryable, error.message);
}

// Your own nodes can throw one too, to say that a retry may help.
const busy = new AtomicError("AGENT_TURN_FAILED", "The service is busy.", { retryable: true });
console.log(AtomicError.is(busy), AtomicError.is(new Error("something else")));
