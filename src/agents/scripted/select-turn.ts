// Which turn of a script serves: the first whose agent, task, match and memory all fit and that has times left. Counts
// are of one client, so of one process.

import { matchesTask, sameAgent, type TurnRequest } from "../turn-request.ts";
import type { Script, ScriptTurn } from "./script-schema.ts";

export interface TurnSelector {
  /** The turn and its index in the script; undefined when none fits. `memory`: the earlier turns of the session. */
  select(request: TurnRequest, memory: string): { readonly turn: ScriptTurn; readonly index: number } | undefined;
}

export function createTurnSelector(script: Script): TurnSelector {
  const turns = script.turns.map((turn, index) => ({
    turn,
    index,
    pattern: turn.match === undefined ? undefined : new RegExp(turn.match),
    remembered: turn.remembers === undefined ? undefined : new RegExp(turn.remembers),
    remaining: turn.times ?? Number.POSITIVE_INFINITY,
  }));
  return {
    select(request, memory) {
      const found = turns.find(
        ({ turn, pattern, remembered, remaining }) =>
          remaining > 0 &&
          (turn.agent === undefined || sameAgent(turn.agent, request.agent)) &&
          (turn.task === undefined || matchesTask(turn.task, request.task)) &&
          (pattern === undefined || pattern.test(request.prompt)) &&
          (remembered === undefined || remembered.test(memory)),
      );
      if (found === undefined) return undefined;
      found.remaining--;
      return found;
    },
  };
}
