// Updates of the state with a key or a value that the state does not have do not compile.
// The limit: the compiler does not look for extra keys in what a function returns as long as another key is right.
// Where the builder itself takes the mapper (`.tool`, `.subagent`) such keys are found as well.

import type { BaseState } from "atomic/workflows/graph";
import {
  annotation,
  askUserNode,
  createNode,
  graph,
  mapNode,
  parallelNode,
  Reducers,
  subagentNode,
  subgraphNode,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";

interface Plan extends BaseState {
  title: string;
  steps: number;
}

const annotations = {
  count: annotation(0, Reducers.sum),
  items: annotation<string[]>([], Reducers.concat),
};

export function wrongKeys(): void {
  // @ts-expect-error a key the state does not have, in a node whose state is given
  createNode<Plan>({ id: "a", execute: () => ({ stateUpdate: { stepz: 1 } }) });
  // @ts-expect-error the same from an async body
  createNode<Plan>({ id: "a", execute: async () => ({ stateUpdate: { stepz: 1 } }) });
  // @ts-expect-error the same in a node whose state the builder knows
  graph(annotations).start(createNode({ id: "a", execute: () => ({ stateUpdate: { cuont: 1 } }) }));
  // @ts-expect-error the same from an async body
  graph(annotations).start(createNode({ id: "a", execute: async () => ({ stateUpdate: { cuont: 1 } }) }));
  // @ts-expect-error the same in the short call shape
  graph(annotations).start(createNode("a", { execute: () => ({ stateUpdate: { cuont: 1 } }) }));
  // @ts-expect-error a mapper of a tool node
  graph<Plan>().start(toolNode({ id: "a", execute: () => 1, outputMapper: (stepz) => ({ stepz }) }));
  // @ts-expect-error a wrong key beside a right one, in a mapper given to the builder
  graph<Plan>().tool({ id: "a", execute: () => 1, outputMapper: (steps) => ({ steps, stepz: 1 }) });
  // @ts-expect-error a mapper of a sub-agent given to the builder
  graph<Plan>().subagent({ id: "a", agent: "x", task: "y", outputMapper: () => ({ steps: 1, stepz: 1 }) });
  // @ts-expect-error a mapper of a sub-agent node
  graph<Plan>().start(subagentNode({ id: "a", agent: "x", task: "y", outputMapper: () => ({ stepz: 1 }) }));
  // @ts-expect-error a mapper of a wait
  graph<Plan>().start(waitNode({ id: "a", prompt: "?", outputMapper: () => ({ stepz: 1 }) }));
  // @ts-expect-error a mapper of a question
  graph<Plan>().start(askUserNode({ id: "a", question: "?", outputMapper: () => ({ stepz: 1 }) }));
  // @ts-expect-error the merge of a parallel node
  parallelNode<Plan>({ id: "p", branches: [], merge: () => ({ stepz: 1 }) });
  // @ts-expect-error a mapper of a map
  mapNode<Plan>({ id: "m", items: () => [], node: toolNode({ id: "n" }), outputMapper: () => ({ stepz: 1 }) });
  // @ts-expect-error what a skipped failure leaves in the state
  createNode<Plan>({ id: "a", execute: () => {}, onError: () => ({ action: "skip", stateUpdate: { stepz: 1 } }) });
  // @ts-expect-error the state an inner graph starts with
  subgraphNode<Plan, Plan>({ id: "s", subgraph: "x", inputMapper: () => ({ stepz: 1 }) });
  // @ts-expect-error the state a run starts with
  void graph<Plan>().compile().execute({ stepz: 1 });
}

export function wrongValues(): void {
  // @ts-expect-error a string for a number
  createNode<Plan>({ id: "a", execute: () => ({ stateUpdate: { steps: "1" } }) });
  // @ts-expect-error the same from an async body
  createNode<Plan>({ id: "a", execute: async () => ({ stateUpdate: { steps: "1" } }) });
  // @ts-expect-error the same where the builder knows the state
  graph(annotations).start(createNode({ id: "a", execute: () => ({ stateUpdate: { count: "1" } }) }));
  // @ts-expect-error one item for a list
  graph(annotations).start(createNode({ id: "a", execute: () => ({ stateUpdate: { items: "one" } }) }));
  // @ts-expect-error a mapper that makes a string of a number
  graph<Plan>().tool({ id: "a", execute: () => 1, outputMapper: (steps) => ({ steps: String(steps) }) });
  // @ts-expect-error an answer is any JSON, and has to be looked at first
  waitNode<Plan>({ id: "a", prompt: "?", outputMapper: (answer) => ({ steps: answer }) });
  // @ts-expect-error changes of the state are returned, not written
  createNode<Plan>({ id: "a", execute: ({ state }) => void (state.steps = 2) });
  // @ts-expect-error a result has stateUpdate and goto, and nothing else
  createNode<Plan>({ id: "a", execute: () => ({ stateUpdaet: { steps: 1 } }) });
  // @ts-expect-error a place to go to is the id of a node
  createNode<Plan>({ id: "a", execute: () => ({ goto: 1 }) });
}

export function wrongNodes(): void {
  const ofPlan = toolNode({ id: "plan", execute: (state: Plan) => state.steps });
  graph<Plan>().start(ofPlan);
  // @ts-expect-error a node of another state
  graph(annotations).start(ofPlan);
  // @ts-expect-error a loop around a node of another state
  graph(annotations).loop(ofPlan, { until: () => true });
  // @ts-expect-error a branch with a node of another state
  graph(annotations).parallel({ branches: [ofPlan] });
  // @ts-expect-error a condition over another state
  graph(annotations).if((state: Plan) => state.steps > 1);
}
