// The context that a node passes to the agent bridge, with some parts replaced. Copied only here: a context may be an
// object with getters, which a spread would lose.

import type { AgentCallContext } from "./bridge.ts";

export function callContextWith(context: AgentCallContext, changes: Partial<AgentCallContext>): AgentCallContext {
  // `ask` is read now: whenever it is called later, it asks on behalf of the step that passes the context.
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
