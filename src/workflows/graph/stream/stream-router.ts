// A run as a stream of what the reader asked for: whole states, updates, the author's own events, everything the
// engine records, or all of it.

import type { RunEvent } from "../../../events/run-event.ts";
import type { Json } from "../../../lib/json.ts";
import { AtomicError } from "../../../lib/errors.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import type { ExecuteOptions, ExecutionResult } from "../run/execute-options.ts";
import type { NodeId } from "../model/node.ts";
import type { StateUpdate } from "../model/state.ts";
import type { StepUpdate } from "../model/step-result.ts";
import { streamRun } from "./stream.ts";

export type StreamMode = "values" | "updates" | "custom" | "debug" | "all";

export type StreamEvent<S> =
  /** The state as the branch sees it, after the node. */
  | { readonly mode: "values"; readonly nodeId: NodeId; readonly state: Readonly<S> }
  /** What the node changed. */
  | { readonly mode: "updates"; readonly nodeId: NodeId; readonly update: StateUpdate<S> }
  /** What a node emitted with `ctx.emit` or `ctx.progress`. */
  | { readonly mode: "custom"; readonly nodeId: NodeId; readonly type: string; readonly data: Json }
  /** What the engine records, whether there is a journal or not. */
  | { readonly mode: "debug"; readonly event: RunEvent };

type Push<S> = (event: StreamEvent<S>) => void | Promise<void>;
type Wanted = Readonly<Record<Exclude<StreamMode, "all">, boolean>>;
type ProgressEvent = Parameters<NonNullable<ExecuteOptions<object>["onProgress"]>>[0];

const modes: readonly StreamMode[] = ["values", "updates", "custom", "debug", "all"];

export class StreamRouter<S extends object> {
  readonly #graph: CompiledGraph<S>;
  readonly #options: ExecuteOptions<S>;

  constructor(graph: CompiledGraph<S>, options: ExecuteOptions<S> = {}) {
    this.#graph = graph;
    this.#options = options;
  }

  /** Starts a run and yields its events; each call is a separate run. */
  stream(wanted: StreamMode | readonly StreamMode[] = "values"): AsyncGenerator<StreamEvent<S>, ExecutionResult<S>> {
    const list = typeof wanted === "string" ? [wanted] : wanted;
    const unknown = list.find((mode) => !modes.includes(mode));
    if (unknown !== undefined || list.length === 0) {
      throw new AtomicError(
        "BUILDER_MISUSE",
        `StreamRouter.stream(): "${String(unknown)}" is not a mode; there are ${modes.join(", ")}.`,
      );
    }
    const has = (mode: StreamMode): boolean => list.includes(mode) || list.includes("all");
    const wants = { values: has("values"), updates: has("updates"), custom: has("custom"), debug: has("debug") };
    return streamRun<S, StreamEvent<S>>(this.#graph, this.#options, (push) => ({
      ...(wants.values || wants.updates ? { onUpdate: (step) => pushStep(step, wants, push) } : {}),
      ...(wants.custom || wants.debug ? { onEvent: (event) => this.#onEvent(event, wants, push) } : {}),
      ...(wants.custom ? { onProgress: (progress) => this.#onProgress(progress, push) } : {}),
    }));
  }

  #onProgress(progress: ProgressEvent, push: Push<S>): void {
    const { type, node, data } = progress;
    void push({ mode: "custom", nodeId: node, type, data });
    this.#options.onProgress?.(progress);
  }

  #onEvent(event: RunEvent, wants: Wanted, push: Push<S>): void {
    if (wants.debug) void push({ mode: "debug", event });
    if (wants.custom && event.type === "custom") {
      const { node, name, data } = event;
      void push({ mode: "custom", nodeId: node, type: name, data });
    }
    this.#options.onEvent?.(event);
  }
}

function pushStep<S>({ nodeId, state, update }: StepUpdate<S>, wants: Wanted, push: Push<S>): void | Promise<void> {
  const pushed = wants.updates ? push({ mode: "updates", nodeId, update }) : undefined;
  return wants.values ? (push({ mode: "values", nodeId, state }) ?? pushed) : pushed;
}
