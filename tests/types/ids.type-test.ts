// Ids that are known as literals: an edge or a start that names another one does not compile.

import type { BaseState, CompiledGraph, WorkflowGraphConfig } from "atomic/workflows/graph";
import { annotation, compileGraphConfig, createNode, decisionNode, Reducers, toolNode } from "atomic/workflows/graph";
import { isSame } from "./expect-type.ts";

interface Plan extends BaseState {
  steps: number;
}

const plan = toolNode({ id: "plan", execute: (state: Plan) => state.steps });
const work = createNode<Plan, "work">({ id: "work", execute: () => ({ stateUpdate: { steps: 1 } }) });

export function idsOfNodes(): void {
  isSame<typeof plan.id, "plan">(true);
  isSame<typeof work.id, "work">(true);
  const short = toolNode("short", { execute: (state: Plan) => state.steps });
  isSame<typeof short.id, "short">(true);
  const route = decisionNode("route", {
    routes: [{ condition: (state: Plan) => state.steps > 1, target: "work" }],
    fallback: "plan",
  });
  isSame<typeof route.id, "route">(true);
}

export function edgesAndStart(): void {
  const compiled = compileGraphConfig({
    startNode: "plan",
    nodes: [plan, work],
    edges: [
      { from: "plan", to: "work" },
      { from: "work", to: "plan", condition: (state) => state.steps < 3 },
    ],
  });
  isSame<typeof compiled, CompiledGraph<Plan>>(true);

  // @ts-expect-error a start that is not a node
  compileGraphConfig({ startNode: "plna", nodes: [plan, work], edges: [{ from: "plan", to: "work" }] });
  // @ts-expect-error an edge to an unknown node
  compileGraphConfig({ startNode: "plan", nodes: [plan, work], edges: [{ from: "plan", to: "wrok" }] });
  // @ts-expect-error an edge from an unknown node
  compileGraphConfig({ startNode: "plan", nodes: [plan, work], edges: [{ from: "plna", to: "work" }] });
  compileGraphConfig({
    startNode: "plan",
    nodes: [plan, work],
    // @ts-expect-error a condition over another state
    edges: [{ from: "plan", to: "work", condition: (state: { other: number }) => state.other > 1 }],
  });
}

/** Where the config has its type from an annotation, the ids can be part of it. */
export const listed: WorkflowGraphConfig<Plan, "plan" | "work"> = {
  // @ts-expect-error a start that is not on the list
  startNode: "plna",
  nodes: [
    toolNode({ id: "plan", execute: (state) => state.steps }),
    // @ts-expect-error a node that is not on the list
    toolNode({ id: "other", execute: (state) => state.steps }),
  ],
  // @ts-expect-error an edge to what is not on the list
  edges: [{ from: "plan", to: "wrok" }],
};

/** Without a list of ids any string is an id; compileGraphConfig then finds the mistake. */
export const open: WorkflowGraphConfig<Plan> = {
  startNode: "plan",
  nodes: [plan, toolNode({ id: "work", execute: (state) => state.steps + 1 })],
  edges: [{ from: "plan", to: "work", condition: (state) => state.steps > 1 }],
  stateAnnotations: { steps: annotation(0, Reducers.max) },
};

export const wrongAnnotations: WorkflowGraphConfig<Plan> = {
  startNode: "plan",
  nodes: [plan],
  edges: [],
  // @ts-expect-error an annotation for a key that the state does not have
  stateAnnotations: { stepz: annotation(0, Reducers.max) },
};

export const mistypedAnnotations: WorkflowGraphConfig<Plan> = {
  startNode: "plan",
  nodes: [plan],
  edges: [],
  // @ts-expect-error an annotation of another type than the key has
  stateAnnotations: { steps: annotation<string[]>([], Reducers.concat) },
};
