// What mission control shows of a run beyond its view: waits with their ends, the limit of cost, and what nodes wrote last. A pure fold of the same events, so it is the same live and from the record.

import type { RunEvent } from "../../events/run-event.ts";
import type { Json } from "../../lib/json.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import { nextView, createSessionView, type SessionView } from "../../workflows/sessions/session-view.ts";

export interface WrittenValue {
  readonly value: Json;
  /** The visit that wrote it; empty: the first state. */
  readonly key: string;
  readonly seq: number;
}

export interface RunMoment {
  readonly view: SessionView;
  /** When waits end, by visit. */
  readonly waits: PersistentMap<number>;
  readonly maxCostUsd: number | undefined;
  /** What was written last under each key of the state. */
  readonly written: PersistentMap<WrittenValue>;
  /** Who the run's questions belong to is in their ids: asked at, by question. */
  readonly askedAt: PersistentMap<number>;
}

export function emptyMoment(id: string): RunMoment {
  return {
    view: createSessionView(id),
    waits: PersistentMap.empty(),
    maxCostUsd: undefined,
    written: PersistentMap.empty(),
    askedAt: PersistentMap.empty(),
  };
}

export function nextMoment(moment: RunMoment, event: RunEvent): RunMoment {
  return { ...moment, ...changesOf(moment, event), view: nextView(moment.view, event) };
}

function changesOf(moment: RunMoment, event: RunEvent): Partial<RunMoment> {
  switch (event.type) {
    case "run.started": {
      const cost = event.limits?.["maxCostUsd"];
      return {
        maxCostUsd: typeof cost === "number" ? cost : undefined,
        ...(event.resumed ? {} : { written: stateOf(event.state, event.seq) }),
      };
    }
    case "wait.started":
      return { waits: moment.waits.set(event.key, event.until) };
    case "node.finished":
      return {
        waits: moment.waits.delete(event.key),
        written: withUpdate(moment.written, event.update, event.key, event.seq),
      };
    case "node.failed":
      return {
        waits:
          event.retryAt === undefined ? moment.waits.delete(event.key) : moment.waits.set(event.key, event.retryAt),
        written: withUpdate(moment.written, event.update, event.key, event.seq),
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

function stateOf(state: Readonly<Record<string, Json>> | undefined, seq: number): PersistentMap<WrittenValue> {
  return withUpdate(PersistentMap.empty(), state, "", seq);
}

function withUpdate(
  written: PersistentMap<WrittenValue>,
  update: Readonly<Record<string, Json>> | undefined,
  key: string,
  seq: number,
): PersistentMap<WrittenValue> {
  let now = written;
  for (const [name, value] of Object.entries(update ?? {})) now = now.set(name, { value, key, seq });
  return now;
}
