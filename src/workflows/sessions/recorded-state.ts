// The state of a run's graph as its record has it, key by key: a pure fold of the same events that the engine replays.
// It needs no workflow file, so it also works for runs whose workflow is gone. Values are combined in state-value.ts.

import type { RunEvent } from "../../events/run-event.ts";
import type { Json } from "../../lib/json.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import { type BranchFacts, branchesOf, nextBranches, noBranches } from "./branch-order.ts";
import type { RecordedGraph } from "./graph-shape.ts";
import { firstValue, type ShownState, updatedValue } from "./state-value.ts";

export interface RecordedState {
  /** The keys of the state. */
  readonly written: PersistentMap<ShownState>;
  /** The order of updates of parallel branches. */
  readonly branches: BranchFacts;
  /** How updates of a key are combined: the reducer's name. Absent: each replaces the one before. */
  readonly reducers: Readonly<Record<string, Json>>;
}

export const emptyState: RecordedState = { written: PersistentMap.empty(), branches: noBranches, reducers: {} };

/** `graph`: as the record has it after this event. */
export function nextState(state: RecordedState, event: RunEvent, graph: RecordedGraph | undefined): RecordedState {
  const branches = nextBranches(state.branches, event, graph);
  switch (event.type) {
    case "run.started":
      if (event.resumed) return { ...state, branches };
      return { branches, written: stateOf(event.state, event.seq), reducers: { outputs: "merge", ...event.reducers } };
    case "node.finished":
    case "node.failed":
      return { ...state, branches, written: withUpdate(state, event) };
    default:
      return branches === state.branches ? state : { ...state, branches };
  }
}

function stateOf(state: Readonly<Record<string, Json>> | undefined, seq: number): PersistentMap<ShownState> {
  let now: PersistentMap<ShownState> = PersistentMap.empty();
  for (const [name, value] of Object.entries(state ?? {})) now = now.set(name, firstValue(value, seq));
  return now;
}

interface Update {
  readonly key: string;
  readonly seq: number;
  readonly update?: Readonly<Record<string, Json>> | undefined;
}

function withUpdate({ written, reducers }: RecordedState, { update, key, seq }: Update): PersistentMap<ShownState> {
  if (update === undefined || branchesOf(key) === undefined) return written;
  let now = written;
  for (const [name, value] of Object.entries(update))
    now = now.set(name, updatedValue(now.get(name), { value, key, seq, reducer: reducers[name] }));
  return now;
}
