// The status of every node, and of every visit of it: part of the view. Nodes of the run's graph are there from the
// start, those of subgraphs once they are visited; visits that are over are kept only as far back as a screen could
// want them.

import type {
  AgentOrderEvent,
  ForeignEvent,
  NoticeEvent,
  ResumeEvent,
  TurnEvent,
  WorkEvent,
  WorktreeEvent,
} from "../../events/event-groups.ts";
import type { RunEvent } from "../../events/run-event.ts";
import type { Json } from "../../lib/json.ts";
import type { PersistentMap } from "../../lib/persistent-map.ts";
import { readShape } from "./graph-shape.ts";

export type VisitState = "running" | "retrying" | "waiting" | "finished" | "failed" | "interrupted";

export interface VisitView {
  readonly key: string;
  readonly node: string;
  readonly visit: number;
  readonly attempt: number;
  readonly state: VisitState;
  readonly startedAt: number;
  /** Since when it is in this state. */
  readonly since: number;
  /** Why the last try failed. */
  readonly error?: string | undefined;
}

export interface NodeView {
  readonly node: string;
  /** How many visits were begun, in all branches. */
  readonly visits: number;
  /** That of the visit that changed last; `pending` before the first. */
  readonly state: VisitState | "pending";
  readonly since: number;
  readonly error?: string | undefined;
}

export interface VisitViews {
  readonly nodes: PersistentMap<NodeView>;
  readonly visits: PersistentMap<VisitView>;
}

const maxVisits = 1000;

export function nextVisits(view: VisitViews, event: RunEvent): VisitViews {
  switch (event.type) {
    case "node.started": {
      const { key, node, visit, attempt, at } = event;
      const startedAt = view.visits.get(key)?.startedAt ?? at;
      return changed(view, { key, node, visit, attempt, state: "running", startedAt, since: at });
    }
    case "node.finished": {
      const { key, node, visit, attempt, at } = event;
      const startedAt = view.visits.get(key)?.startedAt ?? at;
      return changed(view, { key, node, visit, attempt, state: "finished", startedAt, since: at });
    }
    case "node.failed": {
      const { key, node, visit, attempt, at } = event;
      const startedAt = view.visits.get(key)?.startedAt ?? at;
      const state = event.retryAt === undefined ? "failed" : "retrying";
      return changed(view, { key, node, visit, attempt, state, startedAt, since: at, error: event.error.message });
    }
    case "question.asked":
    case "wait.started":
      return inState(view, event.key, "waiting", event.at);
    case "question.answered":
      return inState(view, event.key, "running", event.at);
    case "run.started":
      return interrupted(event.shape === undefined ? view : withPending(view, event.shape, event.at), event.at);
    case "run.paused":
    case "run.finished":
      return interrupted(view, event.at);
    default:
      event satisfies
        | ResumeEvent
        | TurnEvent
        | NoticeEvent
        | AgentOrderEvent
        | WorkEvent
        | WorktreeEvent
        | ForeignEvent;
      return view;
  }
}

/** The visit whose failure ended a failed run; undefined when it failed for another reason, as a failed check. */
export function failedVisit(run: {
  readonly status: string;
  readonly message?: string | undefined;
  readonly visits: VisitViews["visits"];
}): VisitView | undefined {
  const { status, message, visits } = run;
  if (status !== "failed" || message === undefined) return undefined;
  let found: VisitView | undefined;
  // The run's error is that of the node, word for word. An earlier failure that was handled may read the same.
  for (const visit of visits.values())
    if (visit.state === "failed" && visit.error === message && visit.since >= (found?.since ?? 0)) found = visit;
  return found;
}

function withPending(view: VisitViews, shape: Json, since: number): VisitViews {
  let { nodes } = view;
  for (const { id } of readShape(shape)?.nodes ?? [])
    if (!nodes.has(id)) nodes = nodes.set(id, { node: id, visits: 0, state: "pending", since });
  return { ...view, nodes };
}

function changed(view: VisitViews, visit: VisitView): VisitViews {
  const isNew = !view.visits.has(visit.key);
  const known = view.nodes.get(visit.node);
  const { node, state, since, error } = visit;
  const visits = (known?.visits ?? 0) + Number(isNew);
  return {
    nodes: view.nodes.set(node, { node, visits, state, since, error }),
    visits: bounded(view.visits.set(visit.key, visit)),
  };
}

function inState(view: VisitViews, key: string, state: VisitState, since: number): VisitViews {
  const visit = view.visits.get(key);
  return visit === undefined || isOver(visit) ? view : changed(view, { ...visit, state, since });
}

/** The process is gone: what it had under way does not run any more. A question stays open. */
function interrupted(view: VisitViews, at: number): VisitViews {
  let now = view;
  for (const visit of view.visits.values())
    if (visit.state === "running") now = changed(now, { ...visit, state: "interrupted", since: at });
  return now;
}

function isOver({ state }: VisitView): boolean {
  return state === "finished" || state === "failed";
}

/** All at once, because finding the oldest means going through all of them. */
function bounded(visits: PersistentMap<VisitView>): PersistentMap<VisitView> {
  if (visits.size <= maxVisits * 1.5) return visits;
  let kept = visits;
  for (const visit of visits.values()) {
    if (kept.size <= maxVisits) break;
    if (isOver(visit)) kept = kept.delete(visit.key);
  }
  return kept;
}
