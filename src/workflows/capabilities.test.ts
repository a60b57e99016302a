import { expect, test } from "bun:test";
import type { BaseState, CompiledGraph, NodeDefinition, WorkflowTask } from "atomic/workflows";
import {
  agentNode,
  annotation,
  askUserNode,
  graph,
  mapNode,
  parallelNode,
  Reducers,
  subagentNode,
  subgraphNode,
  toolNode,
  waitNode,
} from "atomic/workflows";
import { capabilitiesOf } from "./capabilities.ts";

const of = <S extends object>(compiled: CompiledGraph<S>) =>
  capabilitiesOf(compiled as object as CompiledGraph<Record<string, unknown>>);
const ofNode = (node: NodeDefinition<BaseState>) => of(graph().start(node).compile());
const nothing = { tasks: false, agents: false, questions: false };
const tool = toolNode<BaseState>({ id: "tool", execute: () => 1 });

test("capabilitiesOf finds none in a graph of tools", () => {
  expect(ofNode(tool)).toEqual(nothing);
});

test("capabilitiesOf finds agents, of either kind", () => {
  expect(ofNode(agentNode({ id: "a", prompt: "p" }))).toEqual({ ...nothing, agents: true });
  expect(ofNode(subagentNode({ id: "a", agent: "x", task: "t" }))).toEqual({ ...nothing, agents: true });
});

test("capabilitiesOf finds questions to a user", () => {
  expect(ofNode(waitNode({ id: "w", prompt: "?" }))).toEqual({ ...nothing, questions: true });
  expect(ofNode(askUserNode({ id: "w", question: "?" }))).toEqual({ ...nothing, questions: true });
});

test("capabilitiesOf finds a task list by its annotation", () => {
  const compiled = graph({ tasks: annotation<WorkflowTask[]>([], Reducers.mergeById) })
    .start(tool)
    .compile();

  expect(of(compiled)).toEqual({ ...nothing, tasks: true });
});

test("capabilitiesOf finds a task list in the first state", () => {
  const compiled = graph().start(tool).compile() as object as CompiledGraph<Record<string, unknown>>;

  expect(capabilitiesOf(compiled, { tasks: [] })).toEqual({ ...nothing, tasks: true });
  expect(capabilitiesOf(compiled, { tasks: "no list" })).toEqual(nothing);
});

test("capabilitiesOf looks into branches, maps and subgraphs", () => {
  const agent = agentNode<BaseState>({ id: "a", prompt: "p" });
  const inner = graph()
    .start(waitNode({ id: "w", prompt: "?" }))
    .compile();

  expect(ofNode(parallelNode({ id: "p", branches: [[tool, agent]] }))).toEqual({ ...nothing, agents: true });
  expect(ofNode(mapNode({ id: "m", items: () => [], node: agent }))).toEqual({ ...nothing, agents: true });
  expect(ofNode(subgraphNode({ id: "s", subgraph: inner }))).toEqual({ ...nothing, questions: true });
  expect(ofNode(subgraphNode({ id: "s", subgraph: "by-name" }))).toEqual(nothing);
});
