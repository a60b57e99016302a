// Tests of nodes and workflows, under any test runner.

import { crashEverywhere, createFakeClock, findCrashFailures, runNode, scriptedAgent } from "atomic/testing";
import { agentNode, annotation, createNode, executeGraph, graph, Reducers } from "atomic/workflows";

// A single node.
const ask = createNode<{ name: string }>({
  id: "ask",
  execute: async ({ ask: question, emit }) => {
    const name = (await question("Your name?")) as string;
    emit("name.given", { name });
    return { stateUpdate: { name } };
  },
});
const { update, emitted, questions } = await runNode(ask, { state: { name: "" }, answers: { "Your name?": "Ada" } });
console.log(update, emitted, questions.length);

// A workflow without a model.
const client = scriptedAgent([{ match: "Greet", steps: [{ say: "Hello." }] }]);
const greet = graph()
  .start(agentNode({ id: "greet", prompt: "Greet." }))
  .compile();
console.log((await executeGraph(greet, { client })).state.outputs["greet"]);
await client.close();

// A clock that moves only when the test advances it.
const clock = createFakeClock();
const slow = graph()
  .start(createNode({ id: "sleep", execute: ({ runtime, signal }) => runtime.clock.sleep(3_600_000, signal) }))
  .compile();
const sleeping = executeGraph(slow, { runtime: { clock } });
while (clock.sleepers === 0) await clock.advance(0);
await clock.advance(3_600_000);
console.log((await sleeping).status, clock.now());

// A crash after every record must not change the result.
const add = (id: string) => createNode<{ total: number }>({ id, execute: () => ({ stateUpdate: { total: 1 } }) });
const good = graph({ total: annotation(0, Reducers.sum) })
  .start(add("a"))
  .then(add("b"))
  .compile();
const { status, failures } = await crashEverywhere(good);
console.log(status, failures.length);

// This graph counts outside of its state, which the test detects.
let visits = 0;
const bad = graph({ total: annotation(0) })
  .start(createNode({ id: "count", execute: () => ({ stateUpdate: { total: ++visits } }) }))
  .compile();
console.log((await findCrashFailures(bad, { setUp: () => void (visits = 0) })).failures[0]?.after);
