// Bundled with the packed engine for browsers and edge runtimes, and run where there is nothing but the language and a
// few globals. Leaves a promise of what happened in `engineReport`.

import {
  agentNode,
  AtomicError,
  createNode,
  createRuntime,
  executeGraph,
  graph,
  MemorySaver,
  streamGraph,
  taskLoopNode,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";

async function report() {
  const lines = [];
  const add = toolNode({ id: "add", execute: (state) => state.n + 1, outputMapper: (n) => ({ n }) });
  const chain = graph()
    .start(add)
    .loop(createNode({ id: "double", execute: ({ state }) => ({ stateUpdate: { n: state.n * 2 } }) }), {
      until: (state) => state.n > 50,
    })
    .compile();
  lines.push(`chain: ${(await chain.execute({ n: 1 })).n}`);

  const steps = [];
  for await (const step of streamGraph(chain, { initialState: { n: 1 } })) steps.push(step.nodeId);
  lines.push(`steps: ${steps.join(" ")}`);

  const retried = createNode({
    id: "retried",
    retry: { maxAttempts: 3, backoffMs: 1 },
    execute: ({ attempt }) => {
      if (attempt.number < 3) throw new Error("not yet");
      return { stateUpdate: { tries: attempt.number } };
    },
  });
  lines.push(`retried: ${(await graph().start(retried).compile().execute({})).tries}`);

  const journal = { store: new MemorySaver(), run: "run-1" };
  const asking = graph()
    .start(add)
    .then(waitNode({ id: "ask", prompt: "Continue?" }))
    .then({ ...add, id: "again" })
    .compile();
  const paused = await executeGraph(asking, { initialState: { n: 1 }, journal });
  const resumed = await executeGraph(asking, {
    journal: { ...journal, resume: true },
    answers: { "Continue?": "yes" },
  });
  lines.push(`wait: ${paused.status}, then ${resumed.status} with ${resumed.state.n}`);

  const refusals = {
    checkpoints: () => graph().start(add).compile({ checkpointing: true }).execute({ n: 1 }),
    "task files": () =>
      graph()
        .start(taskLoopNode({ taskNodes: add }))
        .compile()
        .execute({ n: 1 }),
    agents: () =>
      graph()
        .start(agentNode("x", { prompt: "p" }))
        .compile()
        .execute({}, createRuntime({})),
  };
  for (const [what, refused] of Object.entries(refusals)) {
    try {
      await refused();
      lines.push(`${what}: not refused`);
    } catch (error) {
      lines.push(`${what}: ${AtomicError.is(error) ? error.code : String(error)}`);
    }
  }
  return lines.join("\n");
}

globalThis.engineReport = report();
