// Ways to run a graph for tests of waits, retries and timeouts: recorded and resumed, at once, or late.

import { createFakeClock } from "atomic/testing";
import type { Clock, CompiledGraph, ExecuteOptions, NodeDefinition } from "atomic/workflows/graph";
import { executeGraph, graph, MemorySaver, waitNode } from "atomic/workflows/graph";
import type { LogState } from "./graph-kit.ts";
import { logAnnotations, say, sayAfter } from "./graph-kit.ts";

/** Asks, and adds the answer to the log. */
export const ask = (id: string, prompt: string) =>
  waitNode<LogState>({ id, prompt, outputMapper: (answer) => ({ log: [answer as string] }) });

/** A run that is started once and then resumed, each time with what is given. */
export function recorded<S extends object>(compiled: CompiledGraph<S>) {
  const store = new MemorySaver();
  let isStarted = false;
  const go = async (options: ExecuteOptions<S> = {}) => {
    const result = await executeGraph(compiled, { ...options, journal: { store, run: "r", resume: isStarted } });
    isStarted = true;
    return { ...result, open: result.questions.map(({ text }) => text).toSorted() };
  };
  return { store, go };
}

/** Fails `failures` times and then says its id. */
export function flaky(id: string, failures: number, extras: Partial<NodeDefinition<LogState>>, tries: number[] = []) {
  return sayAfter(
    id,
    ({ attempt }) => {
      tries.push(attempt.number);
      if (tries.length <= failures) throw new Error(`failure ${tries.length}`);
    },
    extras,
  );
}

/** Runs with a clock on which every sleep ends at once, and is recorded. */
export async function runAtOnce(node: NodeDefinition<LogState>, options: ExecuteOptions<LogState> = {}) {
  let now = 0;
  const sleeps: number[] = [];
  const clock: Clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      if (signal?.aborted) throw signal.reason;
      sleeps.push(ms);
      now += ms;
    },
  };
  const compiled = graph(logAnnotations).start(say("s")).then(node).compile();
  // No grace: it would be a sleep too.
  const result = await executeGraph(compiled, { ...options, runtime: { clock }, graceMs: 0 });
  return { ...result, sleeps: sleeps.filter((ms) => ms > 0) };
}

/** Runs with a clock that stands still until it is moved. */
export async function runLate(node: NodeDefinition<LogState>, lateMs: number, options: ExecuteOptions<LogState> = {}) {
  const clock = createFakeClock();
  const compiled = graph(logAnnotations).start(say("s")).then(node).compile();
  const running = executeGraph(compiled, { ...options, runtime: { clock }, graceMs: 0 });
  await clock.advance(lateMs);
  return running;
}
