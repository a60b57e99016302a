import { expect, test } from "bun:test";
import { PersistentMap } from "../../lib/persistent-map.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";
import type { VisitState } from "../../workflows/sessions/visit-views.ts";
import { OpenVisits } from "./open-visits.ts";

function viewOf(states: Readonly<Record<string, VisitState>>): Pick<SessionView, "visits"> {
  const visits = Object.entries(states).map(([key, state]) => {
    const visit = { key, node: key, visit: 1, attempt: 1, state, startedAt: 0, since: 0 };
    return [key, visit] as const;
  });
  return { visits: PersistentMap.of(visits) };
}

function keysIn(open: OpenVisits, states: Readonly<Record<string, VisitState>>): readonly string[] {
  return open.of(viewOf(states)).map(({ key }) => key);
}

test("visits of an earlier process that run or wait to retry are found", () => {
  const states = { a: "finished", b: "running", c: "retrying", d: "interrupted", e: "waiting" } as const;
  expect(keysIn(new OpenVisits(viewOf(states)), states)).toEqual(["b", "c"]);
});

test("a visit is found from its start to its end, also when it waits in between", () => {
  const open = new OpenVisits(viewOf({}));
  open.add("a");
  expect(keysIn(open, { a: "running" })).toEqual(["a"]);
  expect(keysIn(open, { a: "waiting" })).toEqual([]);
  expect(keysIn(open, { a: "running" })).toEqual(["a"]);
  expect(keysIn(open, { a: "finished" })).toEqual([]);
});
