// A run as a stream of its steps. The run is never ahead of its reader by more than a small buffer, so a slow reader
// costs time and not memory.

import { Channel } from "../../../lib/channel.ts";
import { AtomicError } from "../../../lib/errors.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import type { ExecuteOptions, ExecutionResult } from "../run/execute-options.ts";
import { executeGraph } from "../run/execute.ts";
import { pauseWith } from "../model/pause-with.ts";
import type { StepResult } from "../model/step-result.ts";

/** Yields each finished step; throws when the run fails or is cancelled, and ends when it completes or pauses. */
export function streamGraph<S extends object>(
  graph: CompiledGraph<S>,
  options: ExecuteOptions<S> = {},
): AsyncGenerator<StepResult<S>, ExecutionResult<S>> {
  return streamRun<S, StepResult<S>>(graph, options, (push) => ({
    onStep: (step) => {
      const pushed = push(step);
      const own = options.onStep?.(step);
      return own === undefined ? pushed : own.then(() => pushed);
    },
  }));
}

type Listen<S extends object, T> = (push: (item: T) => void | Promise<void>) => Partial<ExecuteOptions<S>>;

/** Runs the graph with listeners that push, and yields what they pushed. */
export function streamRun<S extends object, T>(
  graph: CompiledGraph<S>,
  options: ExecuteOptions<S>,
  listen: Listen<S, T>,
): AsyncGenerator<T, ExecutionResult<S>> {
  const channel = new Channel<T>();
  return takeReadyFirst(channel, readRun(channel, graph, options, listen));
}

/**
 * An async generator takes three turns of the microtask queue per item. Everything in the channel is delivered in one.
 */
function takeReadyFirst<T, R>(channel: Channel<T>, reader: AsyncGenerator<T, R>): AsyncGenerator<T, R> {
  const { next, return: leave, throw: fail } = reader;
  /** Calls that the generator has not answered yet: later ones wait for their turn. */
  let unanswered = 0;
  let hasLeft = false;
  const askGenerator = async (): Promise<IteratorResult<T, R>> => {
    unanswered++;
    try {
      return await next.call(reader);
    } finally {
      unanswered--;
    }
  };
  reader.next = () => {
    const item = unanswered > 0 || hasLeft ? undefined : channel.takeReady();
    return item === undefined ? askGenerator() : Promise.resolve({ done: false, value: item });
  };
  reader.return = (value) => {
    hasLeft = true;
    return leave.call(reader, value);
  };
  reader.throw = (reason) => {
    hasLeft = true;
    return fail.call(reader, reason);
  };
  return reader;
}

async function* readRun<S extends object, T>(
  channel: Channel<T>,
  graph: CompiledGraph<S>,
  options: ExecuteOptions<S>,
  listen: Listen<S, T>,
): AsyncGenerator<T, ExecutionResult<S>> {
  const leaving = new AbortController();
  const onAbort = (): void => leaving.abort(options.signal?.reason);
  if (options.signal?.aborted) onAbort();
  else options.signal?.addEventListener("abort", onAbort, { once: true });
  const listeners = listen((item) => channel.push(item));
  const running = executeGraph(graph, { ...options, ...listeners, signal: leaving.signal });
  const close = (): void => channel.close();
  const closed = running.then(close, close);
  try {
    for (;;) {
      const taken = channel.take();
      const item = taken instanceof Promise ? await taken : taken;
      if (item === undefined) break;
      yield item;
    }
    const result = await running;
    if (result.error !== undefined) throw result.error;
    if (result.status === "cancelled") throw new AtomicError("RUN_CANCELLED", "Workflow cancelled");
    return result;
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    // The reader left early: the run pauses, and can be resumed if it is recorded.
    leaving.abort(pauseWith("interrupted"));
    channel.close();
    await closed;
  }
}
