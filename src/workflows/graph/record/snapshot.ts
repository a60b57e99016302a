// A run's position as JSON, and back: tokens, forks, what branches changed, subgraphs. States are stored once; each
// token's own is folded again from the changes it has seen. Nodes are named by id.

import { foldOf } from "../compile/graph-fold.ts";
import { AtomicError } from "../../../lib/errors.ts";
import { adoptParsed, toJson } from "../../../lib/json.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import type { Delta, StateValue } from "../model/fold.ts";
import type { GraphSnapshot, StoredBranchContext, StoredDelta, StoredNodeFailure } from "./graph-snapshot.ts";
import type { NodeFailure } from "../model/node.ts";
import type { BranchScheduler } from "../schedule/branch-scheduler.ts";
import type { PlanNode } from "../compile/plan.ts";
import type { Fork, BranchContext, BranchSegment } from "../schedule/token.ts";
import { forkAt, Token } from "../schedule/token.ts";
import { Visits } from "../schedule/visits.ts";

type AnyGraph = CompiledGraph<Record<string, unknown>>;

/** What a snapshot takes of a graph that is being run. */
export interface SnapshotSource {
  readonly graph: AnyGraph;
  readonly scheduler: Pick<BranchScheduler, "tokens" | "ended" | "base">;
  readonly subgraphs: {
    readonly restored: ReadonlyMap<string, GraphSnapshot>;
    readonly begun: ReadonlyMap<string, SnapshotSource>;
  };
  readonly final: StateValue | undefined;
}

export function snapshotGraph(run: SnapshotSource): GraphSnapshot {
  const { scheduler, graph } = run;
  const writer = new Writer(graph);
  const tokens = scheduler.tokens;
  const alone = tokens.length === 1 && tokens[0]?.branch.segments.length === 0 ? tokens[0] : undefined;
  const stored = tokens.map((token) => ({
    seat: writer.branch(token.branch),
    at: writer.nodeId(token.at),
    visit: token.visit,
    phase: token.phase,
    holdsSlot: token.holdsSlot,
    failure: token.failure === undefined ? null : storedFailure(token.failure),
    ...(token.caught === undefined ? undefined : { caught: storedFailure(token.caught) }),
  }));
  const ended = scheduler.ended.map((segment) => writer.segment(segment));
  const nested = Object.fromEntries([
    ...run.subgraphs.restored,
    ...[...run.subgraphs.begun].map(([path, inner]) => [path, snapshotGraph(inner)] as const),
  ]);
  return {
    base: run.final ?? alone?.state ?? scheduler.base,
    isFinal: run.final !== undefined,
    tokens: stored,
    ended,
    nested,
    ...writer.tables(),
  };
}

class Writer {
  readonly #graph: AnyGraph;
  readonly #segments = new Map<BranchSegment, number>();
  readonly #forks = new Map<Fork, number>();
  readonly #forkList: GraphSnapshot["forks"][number][] = [];

  constructor(graph: AnyGraph) {
    this.#graph = graph;
  }

  nodeId(index: number): string {
    return planNode(this.#graph, index).id;
  }

  segment(segment: BranchSegment): number {
    let place = this.#segments.get(segment);
    if (place === undefined) {
      place = this.#segments.size;
      this.#segments.set(segment, place);
    }
    return place;
  }

  branch(branch: BranchContext): StoredBranchContext {
    return {
      path: branch.path,
      visits: Object.fromEntries(branch.visits.entries().map(([index, visits]) => [this.nodeId(index), visits])),
      loops: Object.fromEntries(branch.loops ?? []),
      segments: branch.segments.map((segment) => this.segment(segment)),
      fork: branch.fork === undefined ? null : this.#fork(branch.fork),
      branches: branch.branches,
      passed: branch.passed.map((fork) => this.#fork(fork)),
    };
  }

  #fork(fork: Fork): number {
    const known = this.#forks.get(fork);
    if (known !== undefined) return known;
    // Outer forks first, so that reading back finds them.
    const branch = this.branch(fork.branch);
    const place = this.#forkList.length;
    this.#forks.set(fork, place);
    const { key, names, live, lost } = fork;
    const failures = fork.failures.map((failure) => failure.message);
    this.#forkList.push({ key, node: this.nodeId(fork.node), names, seat: branch, live, lost, failures });
    return place;
  }

  tables(): Pick<GraphSnapshot, "segments" | "forks"> {
    const segments = [...this.#segments.keys()].map(({ order, delta }) => ({
      order,
      delta: storedDelta(delta),
    }));
    return { segments, forks: this.#forkList };
  }
}

export interface RestoredGraph {
  readonly base: StateValue;
  readonly isFinal: boolean;
  readonly tokens: readonly Token[];
  readonly ended: readonly BranchSegment[];
  readonly nested: Map<string, GraphSnapshot>;
}

export function restoreGraph(snapshot: GraphSnapshot, graph: AnyGraph): RestoredGraph {
  return new Reader(snapshot, graph).read();
}

class Reader {
  readonly #snapshot: GraphSnapshot;
  readonly #graph: AnyGraph;
  readonly #base: StateValue;
  readonly #segments: readonly BranchSegment[];
  readonly #forks: Fork[] = [];

  constructor(snapshot: GraphSnapshot, graph: AnyGraph) {
    this.#snapshot = snapshot;
    this.#graph = graph;
    const base = adoptParsed(snapshot.base, { source: "the snapshot", path: "base", isRecord: true });
    this.#base = foldOf(graph).adopt(base);
    this.#segments = snapshot.segments.map(({ order, delta }) => ({ order, delta: readDelta(delta) }));
  }

  read(): RestoredGraph {
    for (const stored of this.#snapshot.forks) this.#forks.push(this.#fork(stored));
    const tokens = this.#snapshot.tokens.map((stored) => {
      const branch = this.#branch(stored.seat);
      const token = new Token(branch, this.#index(stored.at), this.#stateOf(branch));
      token.visit = stored.visit;
      token.phase = stored.phase;
      token.holdsSlot = stored.holdsSlot;
      token.failure = stored.failure === null ? undefined : Object.freeze(stored.failure);
      token.caught = stored.caught === undefined ? undefined : Object.freeze(stored.caught);
      return token;
    });
    const ended = this.#snapshot.ended.map((place) => this.#segment(place));
    return {
      base: this.#base,
      isFinal: this.#snapshot.isFinal,
      tokens,
      ended,
      nested: new Map(Object.entries(this.#snapshot.nested)),
    };
  }

  #fork(stored: GraphSnapshot["forks"][number]): Fork {
    const node = planNode(this.#graph, this.#index(stored.node));
    const branch = this.#branch(stored.seat);
    return {
      key: stored.key,
      ...forkAt(this.#graph.plan, node, branch),
      names: stored.names,
      group: undefined,
      base: this.#stateOf(branch),
      live: stored.live,
      lost: stored.lost,
      failures: stored.failures.map((message) => new Error(message)),
      // All of them: tokens that hold one take it back.
      freeSlots: node.parallel?.concurrency ?? stored.names.length,
      queue: [],
      begun: 0,
    };
  }

  #branch(stored: StoredBranchContext): BranchContext {
    return {
      path: stored.path,
      visits: Visits.from(Object.entries(stored.visits).map(([id, visits]) => [this.#index(id), visits])),
      loops: new Map(Object.entries(stored.loops)),
      segments: stored.segments.map((place) => this.#segment(place)),
      fork: stored.fork === null ? undefined : this.#forkAt(stored.fork),
      branches: stored.branches,
      passed: stored.passed.map((place) => this.#forkAt(place)),
      holders: 0,
    };
  }

  #segment(place: number): BranchSegment {
    return itemAt(this.#segments, place, "stretch of a branch");
  }

  /** Outer forks come first, so it is read by now. */
  #forkAt(place: number): Fork {
    return itemAt(this.#forks, place, "fork");
  }

  #stateOf(branch: BranchContext): StateValue {
    if (branch.segments.length === 0) return this.#base;
    return foldOf(this.#graph).applyAll(
      this.#base,
      branch.segments.map((segment) => segment.delta),
    );
  }

  #index(id: string): number {
    const index = this.#graph.plan.indexOf(id);
    if (index === undefined) {
      throw new AtomicError(
        "GRAPH_CHANGED",
        `The snapshot is at node "${id}", which the graph no longer has. Put it back to resume the run, or start a new one.`,
      );
    }
    return index;
  }
}

function planNode(graph: AnyGraph, index: number): PlanNode {
  return itemAt(graph.plan.nodes, index, "node of the graph");
}

function itemAt<T>(items: readonly T[], place: number, what: string): T {
  const item = items[place];
  if (item !== undefined) return item;
  throw new AtomicError(
    "JOURNAL_CORRUPT",
    `The run's snapshot names a ${what} that it does not have (${place}), so the run can't be resumed from it. Restore the store from a backup, or start a new run.`,
  );
}

function storedFailure({ node, message, code }: NodeFailure): StoredNodeFailure {
  return { node, message, ...(code === undefined ? {} : { code }) };
}

function storedDelta({ combined, listed, at, by, writers }: Delta): StoredDelta {
  return {
    combined,
    listed: listed ?? null,
    at,
    ...(by === undefined ? undefined : { by }),
    ...(writers === undefined ? undefined : { writers }),
  };
}

function readDelta({ combined, listed = {}, at, by, writers }: StoredDelta): Delta {
  const from = { source: "the snapshot", path: "delta" };
  return {
    combined: toJson(combined, { ...from, isRecord: true }),
    listed:
      listed === null
        ? undefined
        : Object.fromEntries(
            Object.entries(listed).map(([key, values]) => [key, values.map((value) => toJson(value, from))]),
          ),
    at,
    by,
    writers: writers === undefined ? undefined : { ...writers },
  };
}
