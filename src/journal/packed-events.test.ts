import { describe, expect, test } from "bun:test";
import {
  assert,
  array,
  constantFrom,
  integer,
  jsonValue,
  oneof,
  property,
  record,
  shuffledSubarray,
  string,
} from "fast-check";
import type { JsonObject } from "../lib/json.ts";
import { packEvents, unpackEvents } from "./packed-events.ts";
import type { JournalEvent } from "./port.ts";

const at = 1_794_820_846_714;

/** As a store does it. */
function stored(events: readonly JournalEvent[]): { readonly text: string; readonly read: string } {
  const text = JSON.stringify(packEvents(events, at));
  return { text, read: JSON.stringify(unpackEvents(JSON.parse(text), at)) };
}

const started = { type: "node.started", key: "fork#1/left/work#2", node: "work", visit: 2, attempt: 1, at };
const finished = { ...started, type: "node.finished" };

describe("packed:", () => {
  const cases: Readonly<Record<string, JournalEvent>> = {
    "a start": started,
    "an end": finished,
    "a later attempt, some time before": { ...started, attempt: 3, at: at - 1500 },
    "an end with an update": {
      type: "node.finished",
      key: "a#1",
      node: "a",
      visit: 1,
      attempt: 1,
      update: { n: 1 },
      at,
    },
    "an end without one, which is said": { ...finished, update: undefined } as object as JournalEvent,
  };
  for (const [name, event] of Object.entries(cases)) {
    test(name, () => {
      const { text, read } = stored([event]);
      expect(read).toBe(JSON.stringify([event]));
      expect(text.startsWith("[[")).toBe(true);
    });
  }
});

describe("stored as it is:", () => {
  const cases: Readonly<Record<string, JsonObject>> = {
    "another type": { ...started, type: "step.finished" },
    "another order": { key: "work#2", type: "node.started", node: "work", visit: 2, attempt: 1, at },
    "a member more": { ...started, note: "x" },
    "an update before the node": { type: "node.finished", update: {}, key: "a#1", node: "a", visit: 1, attempt: 1, at },
    "the update of a start": { type: "node.started", key: "a#1", node: "a", visit: 1, attempt: 1, update: {}, at },
    "a node that its key does not name": { ...started, node: "left/work" },
    "a visit that its key does not name": { ...started, visit: 3 },
    "a key without a visit": { ...started, key: "work" },
    "a key with a visit in another form": { ...started, key: "fork#1/left/work#02" },
    "no time": { type: "node.started", key: "work#2", node: "work", visit: 2, attempt: 1 },
    "half a millisecond": { ...started, at: at + 0.5 },
  };
  for (const [name, event] of Object.entries(cases)) {
    test(name, () => {
      const { text, read } = stored([event as JournalEvent]);
      expect(text).toBe(JSON.stringify([event]));
      expect(read).toBe(text);
    });
  }
});

test("any events come back byte for byte", () => {
  const names = ["type", "key", "node", "visit", "attempt", "update", "goto", "at"] as const;
  const values = record({
    type: constantFrom("node.started", "node.finished", "own"),
    key: oneof(constantFrom("a#1", "a#2", "b/a#1", "#1", "a#"), string()),
    node: constantFrom("a", "b/a", ""),
    visit: oneof(constantFrom<number>(1, 2), integer()),
    attempt: oneof(constantFrom<number>(1), integer()),
    update: jsonValue(),
    goto: string(),
    at: oneof(constantFrom(at, at - 7), integer()),
  });
  assert(
    property(
      array(record({ values, order: shuffledSubarray([...names]), isUsual: constantFrom(true, false) })),
      (made) => {
        const events = made.map(({ values: of, order, isUsual }) => {
          const chosen = isUsual ? names.filter((name) => name !== "goto") : order;
          return JSON.parse(JSON.stringify(Object.fromEntries(chosen.map((name) => [name, of[name]])))) as JournalEvent;
        });
        expect(stored(events).read).toBe(JSON.stringify(events));
      },
    ),
    { numRuns: 500 },
  );
});

test.each(["{}", "[1]", "[[7]]", '[[0,"x"]]', "[null]"])("%p holds no events", (text) => {
  expect(unpackEvents(JSON.parse(text), at)).toBeUndefined();
});
