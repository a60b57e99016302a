// The context that a node lends the agent bridge, with some parts of it changed. One place copies it: a context may be an
// object with getters, which a spread would lose.

import type { AgentCallContext } from "./bridge.ts";

export function callContextWith(context: AgentCallContext, changes: Partial<AgentCallContext>): AgentCallContext {
  // `ask` is taken now: whatever calls it later, it asks for the step that lends the context.
  const { node, key, signal, attempt, ask } = context;
  return {
    node,
    key,
    signal,
    attempt,
    record: (event) => context.record(event),
    flush: () => context.flush(),
    progress: (type, data) => context.progress(type, data),
    sleepUntil: (at) => context.sleepUntil(at),
    ask,
    ...changes,
  };
}
