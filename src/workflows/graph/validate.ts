// Everything that can be wrong with a graph before it runs, found in one pass and reported in one error. Input comes
// from authors' files, so nothing about its shape is taken for granted.

import { AtomicError } from "../../lib/errors.ts";
import type { AnyNode } from "./plan.ts";
import { goesTo } from "./plan.ts";
import type { Edge } from "./edge.ts";
import type { ParallelStrategy } from "./node.ts";
import { Reducers } from "./state.ts";

export interface GraphFault {
  /** Where in the config: `edges[2].to`. */
  readonly path: string;
  readonly problem: string;
}

export type AnyEdge = Edge<Record<string, unknown>>;

export interface GraphParts {
  readonly nodes: readonly AnyNode[];
  readonly edges: readonly AnyEdge[];
  readonly startNode: string;
  readonly annotations: Readonly<Record<string, unknown>> | undefined;
  readonly errorNode: string | undefined;
}

export function throwFaults(name: string | undefined, faults: readonly GraphFault[]): void {
  if (faults.length === 0) return;
  const what = name === undefined ? "The graph" : `The graph "${name}"`;
  const shown = faults.slice(0, 50).map((fault) => `  ${fault.path}: ${fault.problem}`);
  if (faults.length > shown.length) shown.push(`  … and ${faults.length - shown.length} more`);
  throw new AtomicError(
    "GRAPH_INVALID",
    `${what} can't be compiled, ${faults.length === 1 ? "one fault" : `${faults.length} faults`}:\n${shown.join("\n")}`,
    { details: { faults } },
  );
}

/** Faults of single parts: shapes, ids, numbers. The graph as a whole is looked at only when there are none. */
export function findShapeFaults(parts: GraphParts): GraphFault[] {
  const faults: GraphFault[] = [];
  if (!Array.isArray(parts.nodes))
    faults.push({ path: "nodes", problem: `must be a list of nodes, is ${describe(parts.nodes)}` });
  if (!Array.isArray(parts.edges))
    faults.push({ path: "edges", problem: `must be a list of edges, is ${describe(parts.edges)}` });
  if (faults.length > 0) return faults;
  if (parts.nodes.length === 0) faults.push({ path: "nodes", problem: "is empty; a graph needs at least one node" });
  parts.nodes.forEach((node, i) => checkNode(node, `nodes[${i}]`, faults));
  parts.edges.forEach((edge, i) => checkEdgeShape(edge, `edges[${i}]`, faults));
  checkAnnotations(parts.annotations, faults);
  return faults;
}

function checkNode(node: AnyNode, path: string, faults: GraphFault[]): void {
  if (typeof node !== "object" || node === null) {
    faults.push({ path, problem: `must be a node, is ${describe(node)}` });
    return;
  }
  if (typeof node.id !== "string" || node.id.trim() === "") {
    faults.push({ path: `${path}.id`, problem: `must be a non-empty string, is ${describe(node.id)}` });
    return;
  }
  const where = `${path} ("${node.id}")`;
  if (node.execute === undefined && node.parallel === undefined && node.control === undefined) {
    faults.push({ path: where, problem: "has no `execute`; make nodes with toolNode, createNode or another factory" });
  } else if (node.execute !== undefined && typeof node.execute !== "function") {
    faults.push({ path: `${where}.execute`, problem: `must be a function, is ${describe(node.execute)}` });
  }
  const attempts: unknown = node.retry?.maxAttempts;
  if (node.retry !== undefined && !(Number.isInteger(attempts) && (attempts as number) >= 1)) {
    faults.push({
      path: `${where}.retry.maxAttempts`,
      problem: `must be a whole number from 1, is ${describe(attempts)}`,
    });
  }
  for (const key of ["backoffMs", "backoffMultiplier", "maxBackoffMs"] as const) {
    const value: unknown = node.retry?.[key];
    if (value !== undefined && !(typeof value === "number" && Number.isFinite(value) && value >= 0)) {
      faults.push({ path: `${where}.retry.${key}`, problem: `must be a number from 0, is ${describe(value)}` });
    }
  }
  if (node.timeoutMs !== undefined && !(typeof node.timeoutMs === "number" && node.timeoutMs > 0)) {
    faults.push({ path: `${where}.timeoutMs`, problem: `must be a number above 0, is ${describe(node.timeoutMs)}` });
  }
  if (node.onError !== undefined && typeof node.onError !== "function" && typeof node.onError !== "string") {
    faults.push({ path: `${where}.onError`, problem: "must be a function or the id of a node" });
  }
  if (node.parallel !== undefined) checkParallel(node.parallel, where, faults);
}

const strategies: readonly ParallelStrategy[] = ["all", "race", "any"];

function checkParallel(spec: NonNullable<AnyNode["parallel"]>, where: string, faults: GraphFault[]): void {
  if (!strategies.includes(spec.strategy)) {
    faults.push({
      path: `${where}.strategy`,
      problem: `must be one of ${strategies.join(", ")}, is ${describe(spec.strategy)}`,
    });
  }
  if (!(Number.isInteger(spec.concurrency) && spec.concurrency >= 1)) {
    faults.push({
      path: `${where}.concurrency`,
      problem: `must be a whole number from 1, is ${describe(spec.concurrency)}`,
    });
  }
  if (spec.branches.length === 0) faults.push({ path: `${where}.branches`, problem: "is empty" });
  const names = new Set<string>();
  spec.branches.forEach((branch, i) => {
    const path = `${where}.branches[${i}]`;
    if (names.has(branch.name)) faults.push({ path, problem: `a second branch is called "${branch.name}"` });
    names.add(branch.name);
    if (typeof branch.nodes === "string") return;
    if (branch.nodes.length === 0) faults.push({ path, problem: "is empty" });
    branch.nodes.forEach((node, j) => checkNode(node, `${path}[${j}]`, faults));
  });
}

function checkEdgeShape(edge: AnyEdge, path: string, faults: GraphFault[]): void {
  if (typeof edge !== "object" || edge === null) {
    faults.push({ path, problem: `must be { from, to, condition? }, is ${describe(edge)}` });
    return;
  }
  if (typeof edge.from !== "string")
    faults.push({ path: `${path}.from`, problem: `must be the id of a node, is ${describe(edge.from)}` });
  if (typeof edge.to !== "string")
    faults.push({ path: `${path}.to`, problem: `must be the id of a node, is ${describe(edge.to)}` });
  if (edge.condition !== undefined && typeof edge.condition !== "function") {
    faults.push({
      path: `${path}.condition`,
      problem: `must be a function of the state, is ${describe(edge.condition)}`,
    });
  }
}

/** What the defaults of the built-in reducers must be, by reducer. */
const defaultShapes: readonly [unknown, string, (value: unknown) => boolean][] = [
  [Reducers.concat, "a list", Array.isArray],
  [Reducers.mergeById, "a list", Array.isArray],
  [Reducers.merge, "an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value)],
  [Reducers.sum, "a number", (value) => typeof value === "number"],
  [Reducers.max, "a number", (value) => typeof value === "number"],
  [Reducers.min, "a number", (value) => typeof value === "number"],
  [Reducers.or, "a boolean", (value) => typeof value === "boolean"],
  [Reducers.and, "a boolean", (value) => typeof value === "boolean"],
];

function checkAnnotations(annotations: Readonly<Record<string, unknown>> | undefined, faults: GraphFault[]): void {
  if (annotations === undefined) return;
  if (typeof annotations !== "object" || annotations === null || Array.isArray(annotations)) {
    faults.push({ path: "stateAnnotations", problem: `must be an object of annotations, is ${describe(annotations)}` });
    return;
  }
  for (const [key, annotated] of Object.entries(annotations)) {
    const path = `stateAnnotations.${key}`;
    if (annotated === undefined) continue;
    const { reducer, default: value } = (annotated ?? {}) as { reducer?: unknown; default?: unknown };
    if (typeof reducer !== "function") {
      faults.push({ path, problem: "is not an annotation; write annotation(default, reducer)" });
      continue;
    }
    const given: unknown = typeof value === "function" ? (value as () => unknown)() : value;
    const shape = defaultShapes.find(([known]) => known === reducer);
    if (shape !== undefined && !shape[2](given)) {
      faults.push({
        path,
        problem: `its reducer ${reducer.name} needs ${shape[1]} as default, got ${describe(given)}`,
      });
    }
  }
}

/** Faults of the graph as a whole, after parallel nodes were laid out. */
export function findGraphFaults(parts: GraphParts): GraphFault[] {
  const faults: GraphFault[] = [];
  const successors = new Map<string, string[]>();
  parts.nodes.forEach((node, i) => {
    if (successors.has(node.id)) faults.push({ path: `nodes[${i}].id`, problem: `"${node.id}" is used by two nodes` });
    successors.set(node.id, []);
  });
  const known = (id: string): boolean => successors.has(id);
  if (!known(parts.startNode))
    faults.push({
      path: "startNode",
      problem: `there is no node "${parts.startNode}"${suggest(parts.startNode, successors)}`,
    });
  checkEdges(parts.edges, successors, faults);
  for (const node of parts.nodes) {
    for (const target of goesTo(node)) {
      if (known(target)) successors.get(node.id)?.push(target);
      else
        faults.push({
          path: `node "${node.id}"`,
          problem: `goes to "${target}", and there is no such node${suggest(target, successors)}`,
        });
    }
  }
  if (parts.errorNode !== undefined && !known(parts.errorNode)) {
    faults.push({
      path: "catch",
      problem: `there is no node "${parts.errorNode}"${suggest(parts.errorNode, successors)}`,
    });
  }
  if (faults.length === 0) faults.push(...findUnreachable(parts, successors));
  return faults;
}

function checkEdges(edges: readonly AnyEdge[], successors: Map<string, string[]>, faults: GraphFault[]): void {
  const unconditional = new Set<string>();
  edges.forEach((edge, i) => {
    const followers = successors.get(edge.from);
    const isKnownTarget = successors.has(edge.to);
    if (followers === undefined)
      faults.push({
        path: `edges[${i}].from`,
        problem: `there is no node "${edge.from}"${suggest(edge.from, successors)}`,
      });
    if (!isKnownTarget)
      faults.push({ path: `edges[${i}].to`, problem: `there is no node "${edge.to}"${suggest(edge.to, successors)}` });
    if (followers !== undefined && isKnownTarget) followers.push(edge.to);
    if (edge.condition !== undefined) return;
    const name = `${edge.from}\u0000${edge.to}`;
    if (unconditional.has(name))
      faults.push({ path: `edges[${i}]`, problem: `"${edge.from}" already has an edge to "${edge.to}"` });
    unconditional.add(name);
  });
}

function findUnreachable(parts: GraphParts, successors: ReadonlyMap<string, readonly string[]>): GraphFault[] {
  const seen = new Set([parts.startNode]);
  const queue = [parts.startNode];
  if (parts.errorNode !== undefined && !seen.has(parts.errorNode)) {
    seen.add(parts.errorNode);
    queue.push(parts.errorNode);
  }
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const next of successors.get(id) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return parts.nodes
    .filter((node) => !seen.has(node.id))
    .map((node) => ({
      path: `node "${node.id}"`,
      problem: `can't be reached from "${parts.startNode}"; add an edge to it, or list it in the \`targets\` of the node that goes there`,
    }));
}

function suggest(wanted: string, known: ReadonlyMap<string, unknown>): string {
  if (known.size > 200) return "";
  const lower = wanted.toLowerCase();
  for (const id of known.keys()) {
    if (
      id.toLowerCase() === lower ||
      (lower.length > 2 && (id.toLowerCase().includes(lower) || lower.includes(id.toLowerCase())))
    ) {
      return ` (did you mean "${id}"?)`;
    }
  }
  return "";
}

export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return value.length > 60 ? "a long string" : JSON.stringify(value);
  if (typeof value === "object") return "an object";
  return typeof value === "function" ? "a function" : `${value as number | boolean | bigint | undefined}`;
}
