// What one part of a node's work lends the agent bridge. Where several parts share a visit, the notes and questions of
// each carry its name: after a crash a part continues its own agent session, not another part's.

import { isJsonObject } from "../lib/is-record.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import type { AgentCallContext } from "../workflows/graph/model/bridge.ts";
import { callContextWith } from "../workflows/graph/model/call-context.ts";
import type { ExecutionContext } from "../workflows/graph/model/node.ts";
import { shortHash } from "../lib/hash.ts";

export function partContext<S>(context: ExecutionContext<S>, part: string): AgentCallContext {
  const own = context.attempt.previousNotes
    .filter((note) => isJsonObject(note) && note["part"] === part)
    .map((note) => (note as JsonObject)["note"] as Json);
  // Taken now, inside the step that makes this: its questions belong to that step, whatever calls it later.
  const { ask } = context;
  const { number, failures } = context.attempt;
  return callContextWith(context, {
    attempt: {
      number,
      failures,
      previousNotes: own,
      note: (note) => context.attempt.note({ part, note }),
      noteSoon: (note) => context.attempt.noteSoon({ part, note }),
    },
    ask: (question) => ask({ ...question, id: `${context.key}?${part}:${shortHash(question.text)}` }),
  });
}
