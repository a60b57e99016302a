// Checks the parts of a graph one by one: shapes, ids, numbers. Input comes from authors' files, so nothing about it is
// assumed. How the parts fit together is checked in validate.ts. Paths are spelled only for a fault: a graph of
// ten thousand nodes is checked in a few milliseconds.

import type { CompileOptions } from "./compiled-graph.ts";
import type { GraphFault } from "./graph-faults.ts";
import { describeValue } from "./graph-faults.ts";
import type { NodeType, ParallelStrategy } from "../model/node.ts";
import type { AnyNode } from "./plan.ts";
import { findAnnotationFaults } from "./validate-annotations.ts";

export interface GivenParts {
  readonly nodes: unknown;
  readonly edges: unknown;
  readonly startNode: unknown;
  readonly annotations: unknown;
  readonly options: Readonly<Record<keyof CompileOptions<object>, unknown>> | object;
}

export interface CheckedParts {
  readonly faults: GraphFault[];
  /** Ids of all nodes, those in branches too. */
  readonly ids: ReadonlySet<string>;
  /** False if a node has no id: then unknown ids can't be determined. */
  readonly hasAllIds: boolean;
  /** Ids that nodes mention, to be looked up once all are known. */
  readonly mentions: readonly Mention[];
}

interface Mention extends GraphFault {
  readonly id: string;
}

type Where = () => string;

export function checkParts(parts: GivenParts): CheckedParts {
  const check = new PartsCheck();
  check.nodes(parts.nodes);
  check.edges(parts.edges);
  if (typeof parts.startNode !== "string") {
    check.add("startNode", `must be the id of a node, is ${describeValue(parts.startNode)}`);
  }
  check.faults.push(...findAnnotationFaults(parts.annotations));
  check.options(parts.options);
  return check;
}

const nodeTypes: ReadonlySet<unknown> = new Set<NodeType>([
  "agent",
  "tool",
  "decision",
  "wait",
  "ask_user",
  "subgraph",
  "parallel",
  "control",
]);
const strategies: readonly unknown[] = ["all", "race", "any"] satisfies ParallelStrategy[];

class PartsCheck implements CheckedParts {
  readonly faults: GraphFault[] = [];
  readonly ids = new Set<string>();
  hasAllIds = true;
  readonly mentions: Mention[] = [];

  add(path: string, problem: string): void {
    this.faults.push({ path, problem });
  }

  #addIdless(path: string, problem: string): void {
    this.add(path, problem);
    this.hasAllIds = false;
  }

  nodes(nodes: unknown): void {
    if (!Array.isArray(nodes)) return this.#addIdless("nodes", `must be a list of nodes, is ${describeValue(nodes)}`);
    if (nodes.length === 0) this.#addIdless("nodes", "is empty; a graph needs at least one node");
    nodes.forEach((node: unknown, i) => this.#node(node, () => `nodes[${i}]`));
  }

  edges(edges: unknown): void {
    if (!Array.isArray(edges)) return this.add("edges", `must be a list of edges, is ${describeValue(edges)}`);
    edges.forEach((edge: unknown, i) => this.#edge(edge, () => `edges[${i}]`));
  }

  #node(given: unknown, where: Where): void {
    if (typeof given !== "object" || given === null) {
      return this.#addIdless(where(), `must be a node, is ${describeValue(given)}`);
    }
    const node = given as { readonly [K in keyof AnyNode]?: unknown };
    const { id } = node;
    if (typeof id !== "string" || id.trim() === "") {
      return this.#addIdless(`${where()}.id`, `must be a non-empty string, is ${describeValue(id)}`);
    }
    if (this.ids.has(id)) this.add(`${where()}.id`, `"${id}" is used by two nodes`);
    this.ids.add(id);
    const at: Where = () => `${where()} ("${id}")`;
    if (node.type !== undefined && !nodeTypes.has(node.type)) {
      this.add(`${at()}.type`, `must be one of ${[...nodeTypes].join(", ")}, is ${describeValue(node.type)}`);
    }
    if (node.execute === undefined && node.parallel === undefined && node.control === undefined) {
      this.add(at(), "has no `execute`; make nodes with toolNode, createNode or another factory");
    } else if (node.execute !== undefined && typeof node.execute !== "function") {
      this.add(`${at()}.execute`, `must be a function, is ${describeValue(node.execute)}`);
    }
    if (node.retry !== undefined) this.#retry(node.retry, () => `${at()}.retry`);
    const { timeoutMs, onError, targets } = node;
    if (timeoutMs !== undefined && !(isNumberFrom(0, timeoutMs) && timeoutMs !== 0)) {
      this.add(`${at()}.timeoutMs`, `must be a number above 0, is ${describeValue(timeoutMs)}`);
    }
    if (typeof onError === "string") this.#mention(id, onError);
    else if (onError !== undefined && typeof onError !== "function") {
      this.add(`${at()}.onError`, `must be a function or the id of a node, is ${describeValue(onError)}`);
    }
    if (targets !== undefined) this.#targets(targets, id, at);
    if (node.parallel !== undefined) this.#parallel(node.parallel, id, at);
  }

  #mention(node: string, id: string): void {
    this.mentions.push({ id, path: `node "${node}"`, problem: `goes to "${id}", and there is no such node` });
  }

  #targets(targets: unknown, node: string, at: Where): void {
    if (!Array.isArray(targets) || !targets.every((target) => typeof target === "string")) {
      return this.add(`${at()}.targets`, `must be a list of ids, is ${describeValue(targets)}`);
    }
    for (const target of targets) this.#mention(node, target);
  }

  #retry(retry: unknown, at: Where): void {
    if (typeof retry !== "object" || retry === null || Array.isArray(retry)) {
      return this.add(at(), `must be { maxAttempts, … }, is ${describeValue(retry)}`);
    }
    const { maxAttempts, retryOn, ...pauses } = retry as Readonly<Record<string, unknown>>;
    if (!isWholeFrom(1, maxAttempts)) {
      this.add(`${at()}.maxAttempts`, `must be a whole number of at least 1, not ${describeValue(maxAttempts)}`);
    }
    for (const key of ["backoffMs", "backoffMultiplier", "maxBackoffMs"]) {
      const value = pauses[key];
      if (value === undefined || isNumberFrom(0, value)) continue;
      this.add(`${at()}.${key}`, `must be a number from 0, is ${describeValue(value)}`);
    }
    if (retryOn !== undefined && typeof retryOn !== "function") {
      this.add(`${at()}.retryOn`, `must be a function of the error, is ${describeValue(retryOn)}`);
    }
  }

  #parallel(given: unknown, id: string, at: Where): void {
    const { branches, strategy, concurrency, merge } = (given ?? {}) as Readonly<Record<string, unknown>>;
    if (!strategies.includes(strategy)) {
      this.add(`${at()}.strategy`, `must be one of ${strategies.join(", ")}, is ${describeValue(strategy)}`);
    }
    if (!isWholeFrom(1, concurrency)) {
      this.add(`${at()}.concurrency`, `must be a whole number of at least 1, not ${describeValue(concurrency)}`);
    }
    if (merge !== undefined && typeof merge !== "function") {
      this.add(`${at()}.merge`, `must be a function, is ${describeValue(merge)}`);
    }
    if (!Array.isArray(branches))
      return this.#addIdless(`${at()}.branches`, `must be a list, is ${describeValue(branches)}`);
    if (branches.length === 0) this.add(`${at()}.branches`, "is empty");
    const names = new Set<unknown>();
    branches.forEach((branch: unknown, i) => this.#branch(branch, { id, place: i, names, at }));
  }

  #branch(branch: unknown, of: { id: string; place: number; names: Set<unknown>; at: Where }): void {
    const at: Where = () => `${of.at()}.branches[${of.place}]`;
    const { name, nodes } = (branch ?? {}) as { name?: unknown; nodes?: unknown };
    if (typeof nodes === "string") {
      const path = `node "${of.id}".branches[${of.place}]`;
      this.mentions.push({ id: nodes, path, problem: `there is no node "${nodes}"` });
    } else if (!Array.isArray(nodes)) {
      return this.#addIdless(at(), `must be nodes, or the id of one, is ${describeValue(branch)}`);
    }
    if (of.names.has(name)) this.add(at(), `a second branch is called "${String(name)}"`);
    of.names.add(name);
    if (typeof nodes === "string") return;
    if (nodes.length === 0) this.add(at(), "is empty");
    nodes.forEach((node: unknown, i) => this.#node(node, () => `${at()}[${i}]`));
  }

  #edge(edge: unknown, where: Where): void {
    if (typeof edge !== "object" || edge === null) {
      return this.add(where(), `must be { from, to, condition? }, is ${describeValue(edge)}`);
    }
    const { from, to, condition } = edge as { from?: unknown; to?: unknown; condition?: unknown };
    if (typeof from !== "string") this.add(`${where()}.from`, `must be the id of a node, is ${describeValue(from)}`);
    if (typeof to !== "string") this.add(`${where()}.to`, `must be the id of a node, is ${describeValue(to)}`);
    if (condition !== undefined && typeof condition !== "function") {
      this.add(`${where()}.condition`, `must be a function of the state, is ${describeValue(condition)}`);
    }
  }

  options(options: GivenParts["options"]): void {
    const { name, maxSteps, maxVisits, stateVersion, migrateState, checkpointing, checkpointDir } = options as Readonly<
      Record<string, unknown>
    >;
    const counts = { maxSteps, maxIterations: maxVisits, stateVersion };
    for (const [path, value] of Object.entries(counts)) {
      if (value === undefined || isWholeFrom(0, value)) continue;
      this.add(path, `must be a whole number of at least 0, not ${describeValue(value)}`);
    }
    const expect = (path: string, value: unknown, ...types: readonly string[]): void => {
      if (value === undefined || types.includes(typeof value)) return;
      this.add(path, `must be a ${types.join(" or a ")}, is ${describeValue(value)}`);
    };
    expect("name", name, "string");
    expect("migrateState", migrateState, "function");
    expect("checkpointing", checkpointing, "boolean");
    expect("checkpointDir", checkpointDir, "string", "function");
  }
}

function isNumberFrom(least: number, value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= least;
}

function isWholeFrom(least: number, value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}
