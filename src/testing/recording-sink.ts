// The sink of one turn that keeps what a backend reports, for tests of how messages become events.

import type { BackendEvent, TurnSink } from "../agents/backend-session.ts";

export interface RecordingSink {
  readonly sink: TurnSink;
  readonly events: BackendEvent[];
  /** The reported ends of the turn, in order. A backend must report exactly one. */
  readonly ends: unknown[];
}

export function createRecordingSink(): RecordingSink {
  const events: BackendEvent[] = [];
  const ends: unknown[] = [];
  const sink: TurnSink = {
    turnId: "t",
    signal: new AbortController().signal,
    get isOver() {
      return ends.length > 0;
    },
    emit: (event) => void events.push(event),
    touch: () => {},
    ask: async () => ({ type: "declined", reason: "declined" }),
    complete: () => void ends.push("completed"),
    fail: (failure) => void ends.push(failure),
    interrupted: () => void ends.push("interrupted"),
    streamEnded: () => void ends.push("stream ended"),
  };
  return { sink, events, ends };
}
