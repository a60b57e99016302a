// Runs the body of one node, once, without a graph: for unit tests of a node. Retries, timeouts and error handlers
// belong to the graph and do not apply here. Whatever the body throws is rethrown.

import type { ReportedEvent } from "../events/reported-events.ts";
import { AtomicError } from "../lib/errors.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { toJson } from "../lib/json.ts";
import { CompiledGraph } from "../workflows/graph/compile/compiled-graph.ts";
import type { CompiledSubgraph } from "../workflows/graph/model/compiled-subgraph.ts";
import type { ExecutionContext, NodeDefinition, NodeFailure } from "../workflows/graph/model/node.ts";
import type { Question } from "../workflows/graph/model/question.ts";
import type { Runtime } from "../workflows/graph/model/runtime.ts";
import { createRuntime } from "../workflows/graph/model/runtime.ts";
import { openWorktree } from "../workflows/graph/run/open-worktree.ts";
import type { StateUpdate } from "../workflows/graph/model/state.ts";

export interface RunNodeOptions<S> {
  readonly state: S;
  readonly runtime?: Partial<Runtime> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Answers by the question's id or text; a question without one gets its default. */
  readonly answers?: Readonly<Record<string, Json>> | undefined;
  /** As if the node had been reached because another one failed. */
  readonly failure?: NodeFailure | undefined;
  /** How often the node was reached, including this time; default 1. */
  readonly visit?: number | undefined;
  /** As if there had been earlier attempts: the number of this one, how many failed, what they noted. */
  readonly attempt?:
    | {
        readonly number?: number;
        readonly failures?: number;
        readonly failedRuns?: number;
        readonly previousNotes?: readonly Json[];
      }
    | undefined;
}

export interface NodeRun<S> {
  /** What the body changes of the state. */
  readonly update: StateUpdate<S>;
  readonly goto: string | undefined;
  readonly emitted: readonly { readonly type: string; readonly data: Json }[];
  /** What it handed to `ctx.record`. */
  readonly recorded: readonly ReportedEvent[];
  readonly progress: readonly { readonly type: string; readonly data: Json }[];
  /** Recorded parts, by name. */
  readonly steps: Readonly<Record<string, Json>>;
  readonly notes: readonly Json[];
  readonly questions: readonly Question[];
}

export async function runNode<S extends object>(
  node: NodeDefinition<S>,
  options: RunNodeOptions<S>,
): Promise<NodeRun<S>> {
  if (node.execute === undefined) {
    throw new AtomicError("BUILDER_MISUSE", `runNode: "${node.id}" has no body. Put it into a graph and run that.`);
  }
  const probe = new Probe(node, options);
  const returned = await node.execute(probe.context);
  const { stateUpdate, goto } = returned ?? {};
  const update = stateUpdate === undefined ? {} : probe.admit(stateUpdate, "stateUpdate");
  return { ...probe.seen, update: update as JsonObject as StateUpdate<S>, goto };
}

/** Replaces the run around the node, and records what the body does. */
class Probe<S extends object> {
  readonly context: ExecutionContext<S>;
  readonly #node: NodeDefinition<S>;
  readonly #answers: Readonly<Record<string, Json>>;
  readonly #runtime: Runtime;
  readonly #emitted: { type: string; data: Json }[] = [];
  readonly #recorded: ReportedEvent[] = [];
  readonly #progress: { type: string; data: Json }[] = [];
  readonly #steps: Record<string, Json> = {};
  readonly #notes: Json[] = [];
  readonly #questions: Question[] = [];

  constructor(node: NodeDefinition<S>, options: RunNodeOptions<S>) {
    this.#node = node;
    this.#answers = options.answers ?? {};
    this.#runtime = createRuntime({ ...options.runtime, isStrict: true });
    const { visit = 1, failure, attempt, signal = new AbortController().signal } = options;
    this.context = {
      // Frozen, including lists: a body that changes its state in place fails here as it does in a graph under test.
      state: toJson(options.state, { source: "the state", path: "state", freezeArrays: true }) as JsonObject as S,
      signal,
      runtime: this.#runtime,
      node: node.id,
      visit,
      key: `${node.id}#${visit}`,
      failure,
      attempt: {
        number: attempt?.number ?? 1,
        failures: attempt?.failures ?? 0,
        failedRuns: attempt?.failedRuns ?? 0,
        previousNotes: attempt?.previousNotes ?? [],
        note: async (note) => void this.#notes.push(this.admit(note, "note")),
        noteSoon: (note) => void this.#notes.push(this.admit(note, "note")),
      },
      step: (name, body) => this.#step(name, body),
      emit: (type, data) => void this.#emitted.push({ type, data: data ?? null }),
      record: (event) => void this.#recorded.push(event),
      progress: (type, data) => void this.#progress.push({ type, data: data ?? null }),
      flush: async () => undefined,
      ask: async (question) => this.#ask(typeof question === "string" ? { text: question } : question),
      worktree: (name) => openWorktree(this.context, name),
      runSubgraph: (graph, state) => this.#runSubgraph(graph, state),
      sleepUntil: (atMs) => this.#runtime.clock.sleep(Math.max(atMs - this.#runtime.clock.now(), 0), signal),
    };
  }

  get seen(): Omit<NodeRun<S>, "update" | "goto"> {
    return {
      emitted: this.#emitted,
      recorded: this.#recorded,
      progress: this.#progress,
      steps: this.#steps,
      notes: this.#notes,
      questions: this.#questions,
    };
  }

  admit(value: unknown, path: string): Json {
    const { redact } = this.#runtime;
    return toJson(value, { source: `node "${this.#node.id}"`, path, redact, freezeArrays: true });
  }

  async #step<T extends Json | void>(name: string, body: () => Promise<T> | T): Promise<T> {
    const value = await body();
    const admitted = value === undefined ? null : this.admit(value, `step "${name}"`);
    this.#steps[name] = admitted;
    return admitted as T;
  }

  #ask(question: Question): Json {
    this.#questions.push(question);
    for (const name of [question.id, question.text]) {
      if (name !== undefined && Object.hasOwn(this.#answers, name)) return this.#answers[name] as Json;
    }
    if (question.default !== undefined) return question.default;
    throw new AtomicError(
      "QUESTION_UNKNOWN",
      `Node "${this.#node.id}" asks "${question.text}", and runNode was given no answer: add it to \`answers\`.`,
    );
  }

  #runSubgraph<T extends object>(graph: CompiledSubgraph<T>, state: T): Promise<T> {
    // A compiled graph gets the runtime; a substitute for one has its own.
    return CompiledGraph.is(graph)
      ? (graph.execute(state, this.#runtime) as Promise<object> as Promise<T>)
      : graph.execute(state);
  }
}
