// What one task of the pool lends the agent bridge. Many tasks share one visit of a node, so each task's notes and
// questions carry its id: after a crash a task goes on in its own agent session, not in a neighbour's.

import type { Json, JsonObject } from "../../lib/json.ts";
import type { AgentCallContext } from "../graph/bridge.ts";
import type { ExecutionContext } from "../graph/node.ts";
import { shortHash } from "../../lib/hash.ts";

export function taskContext<S>(context: ExecutionContext<S>, part: string): AgentCallContext {
  const own = context.attempt.left
    .filter((note) => isObject(note) && note["part"] === part)
    .map((note) => (note as JsonObject)["note"] as Json);
  return {
    node: context.node,
    key: context.key,
    signal: context.signal,
    attempt: {
      number: context.attempt.number,
      left: own,
      note: (note) => context.attempt.note({ part, note }),
    },
    emit: (type, data) => context.emit(type, data),
    flush: () => context.flush(),
    progress: (type, data) => context.progress(type, data),
    sleepUntil: (at) => context.sleepUntil(at),
    ask: (question) => context.ask({ ...question, id: `${context.key}?${part}:${shortHash(question.text)}` }),
  };
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
