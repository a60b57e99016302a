// Build a graph with the builder or as data, and run it.

import { scriptedAgent } from "atomic/testing";
import {
  type BaseState,
  CompiledGraph,
  compileGraphConfig,
  createNodeEntities,
  executeGraph,
  fingerprintOf,
  graph,
  GraphBuilder,
  initializeWorkflowsSDK,
  toolNode,
} from "atomic/workflows";

interface State extends BaseState {
  count: number;
}

const add = (id: string, n: number) =>
  toolNode<State, number>({
    id,
    execute: ({ count }) => count + n,
    outputMapper: (count) => ({ count }),
  });

const builder = graph<State>().start(add("one", 1)).then(add("two", 2));
console.log(builder instanceof GraphBuilder);

const compiled = builder.compile({ name: "add" });
console.log((await compiled.execute({ count: 0 })).count);

// The same graph as data.
const same = compileGraphConfig<State>({
  nodes: [add("one", 1), add("two", 2)],
  edges: [{ from: "one", to: "two" }],
  startNode: "one",
});
console.log(CompiledGraph.is(same), (await same.execute({ count: 0 })).count);

// Everything a builder can do.
const say = (id: string) => toolNode<State, string>({ id, execute: () => id });
const longer = graph<State>()
  .start(say("first"))
  .if(({ count }) => count > 9)
  .then(say("many"))
  .end() // nothing follows in this branch
  .elseIf(({ count }) => count > 0)
  .then(say("some"))
  .else()
  .tool({ id: "none", execute: () => "none", outputMapper: () => ({ count: 1 }) })
  .endif()
  .loop([add("again", 1)], { until: ({ count }) => count >= 3, maxIterations: 10 })
  .parallel({ branches: { left: say("left"), right: say("right") } })
  .wait("Continue?")
  .subagent({ id: "review", agent: "reviewer", task: "Review it." })
  .catch(say("failed")) // where a failure goes that no node handles
  .compile();
const client = scriptedAgent([{ agent: "reviewer", steps: [{ say: "fine" }] }]);
const entities = createNodeEntities(await initializeWorkflowsSDK({ userPath: "home" }));
const { status, state } = await executeGraph(longer, {
  initialState: { count: 0 },
  answers: { "Continue?": "yes" },
  client,
  runtime: { entities },
});
console.log(status, state.count, Object.keys(state.outputs).join(" "));
await client.close();

// A recorded run can only be resumed by a graph with the same fingerprint: ids, edges, state keys.
console.log(fingerprintOf(same) === fingerprintOf(compiled));
