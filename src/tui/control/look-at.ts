// A watched run as of one of its events, or as of now: the record, and what agents had done by then. Pure.

import type { RunEvent } from "../../events/run-event.ts";
import type { Activity } from "./activity.ts";
import { emptyMoment, type RunMoment } from "./run-facts.ts";
import type { WatchedRun } from "./watch-run.ts";

export interface SeenRun {
  readonly moment: RunMoment;
  readonly activity: Activity;
  /** When that was. */
  readonly at: number;
  /** The event that is looked at: the last one, when live. */
  readonly event: RunEvent | undefined;
}

/** `seq`: undefined for now. Events are numbered from 1 without gaps. */
export function lookAt({ id, events, transcript, present }: WatchedRun, seq: number | undefined): SeenRun {
  if (present !== undefined)
    return {
      moment: { ...emptyMoment(id), view: present },
      activity: transcript.view,
      at: present.updatedAt,
      event: undefined,
    };
  if (seq === undefined || seq >= events.length)
    return lookAtEnd(events.view, transcript.view, events.item(events.length - 1), seq === undefined);
  const event = events.item(seq - 1);
  const at = event?.at ?? 0;
  return {
    moment: events.at(seq),
    activity: transcript.at(transcript.countBefore((entry) => entry.at > at)),
    at,
    event,
  };

  function lookAtEnd(moment: RunMoment, all: Activity, last: RunEvent | undefined, isLive: boolean): SeenRun {
    const end = last?.at ?? 0;
    const activity = isLive ? all : transcript.at(transcript.countBefore((entry) => entry.at > end));
    return { moment, activity, at: end, event: last };
  }
}
