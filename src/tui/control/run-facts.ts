// What mission control shows of a run beyond its view: waits with their ends, the limit of cost, and the state. A pure
// fold of the same events, so it is the same live and from the record.

import type { RunEvent } from "../../events/run-event.ts";
import type { Json } from "../../lib/json.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import { nextView, createSessionView, type SessionView } from "../../workflows/sessions/session-view.ts";
import { type BranchFacts, branchesOf, nextBranches, noBranches } from "./branch-order.ts";
import { firstValue, type ShownState, updatedValue } from "./state-value.ts";

export interface RunMoment {
  readonly view: SessionView;
  /** When waits end, by visit. */
  readonly waits: PersistentMap<number>;
  readonly maxCostUsd: number | undefined;
  /** The keys of the state. */
  readonly written: PersistentMap<ShownState>;
  /** The order of updates of parallel branches. */
  readonly branches: BranchFacts;
  /** How updates of a key are combined: the reducer's name. Absent: each replaces the one before. */
  readonly reducers: Readonly<Record<string, Json>>;
  /** Who the run's questions belong to is in their ids: asked at, by question. */
  readonly askedAt: PersistentMap<number>;
}

export function emptyMoment(id: string): RunMoment {
  return {
    view: createSessionView(id),
    waits: PersistentMap.empty(),
    maxCostUsd: undefined,
    written: PersistentMap.empty(),
    branches: noBranches,
    reducers: {},
    askedAt: PersistentMap.empty(),
  };
}

export function nextMoment(moment: RunMoment, event: RunEvent): RunMoment {
  const view = nextView(moment.view, event);
  return {
    ...moment,
    ...changesOf(moment, event),
    view,
    branches: nextBranches(moment.branches, event, view.graph),
  };
}

function changesOf(moment: RunMoment, event: RunEvent): Partial<RunMoment> {
  switch (event.type) {
    case "run.started": {
      const cost = event.limits?.["maxCostUsd"];
      return {
        maxCostUsd: typeof cost === "number" ? cost : undefined,
        ...(event.resumed
          ? {}
          : { written: stateOf(event.state, event.seq), reducers: { outputs: "merge", ...event.reducers } }),
      };
    }
    case "wait.started":
      return { waits: moment.waits.set(event.key, event.until) };
    case "node.finished":
      return {
        waits: moment.waits.delete(event.key),
        written: withUpdate(moment, event),
      };
    case "node.failed":
      return {
        waits:
          event.retryAt === undefined ? moment.waits.delete(event.key) : moment.waits.set(event.key, event.retryAt),
        written: withUpdate(moment, event),
      };
    case "node.started":
      return moment.waits.has(event.key) ? { waits: moment.waits.delete(event.key) } : {};
    case "question.asked":
      return { askedAt: moment.askedAt.set(event.question.id, event.at) };
    case "question.answered":
      return { askedAt: moment.askedAt.delete(event.question) };
    default:
      return {};
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

function withUpdate({ written, reducers }: RunMoment, { update, key, seq }: Update): PersistentMap<ShownState> {
  if (update === undefined || branchesOf(key) === undefined) return written;
  let now = written;
  for (const [name, value] of Object.entries(update))
    now = now.set(name, updatedValue(now.get(name), { value, key, seq, reducer: reducers[name] }));
  return now;
}
