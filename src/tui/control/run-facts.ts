// What mission control shows of a run beyond its view: waits with their ends, the limit of cost, and the state. A pure
// fold of the same events, so it is the same live and from the record.

import type { RunEvent } from "../../events/run-event.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import { nextView, createSessionView, type SessionView } from "../../workflows/sessions/session-view.ts";
import { emptyState, nextState, type RecordedState } from "../../workflows/sessions/recorded-state.ts";

export interface RunMoment extends RecordedState {
  readonly view: SessionView;
  /** When waits end, by visit. */
  readonly waits: PersistentMap<number>;
  readonly maxCostUsd: number | undefined;
  /** Who the run's questions belong to is in their ids: asked at, by question. */
  readonly askedAt: PersistentMap<number>;
}

export function emptyMoment(id: string): RunMoment {
  return {
    view: createSessionView(id),
    waits: PersistentMap.empty(),
    maxCostUsd: undefined,
    ...emptyState,
    askedAt: PersistentMap.empty(),
  };
}

export function nextMoment(moment: RunMoment, event: RunEvent): RunMoment {
  const view = nextView(moment.view, event);
  const { written, branches, reducers } = nextState(moment, event, view.graph);
  return { ...moment, ...changesOf(moment, event), view, written, branches, reducers };
}

function changesOf(moment: RunMoment, event: RunEvent): Partial<RunMoment> {
  switch (event.type) {
    case "run.started": {
      const cost = event.limits?.["maxCostUsd"];
      return { maxCostUsd: typeof cost === "number" ? cost : undefined };
    }
    case "wait.started":
      return { waits: moment.waits.set(event.key, event.until) };
    case "node.finished":
      return { waits: moment.waits.delete(event.key) };
    case "node.failed":
      return {
        waits:
          event.retryAt === undefined ? moment.waits.delete(event.key) : moment.waits.set(event.key, event.retryAt),
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
