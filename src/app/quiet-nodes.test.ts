import { expect, test } from "bun:test";
import { runEvent } from "../../tests/support/run-events.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { type QuietNode, watchQuietNodes } from "./quiet-nodes.ts";

function setUp() {
  const clock = createFakeClock();
  const reported: QuietNode[] = [];
  const quiet = watchQuietNodes({ clock, afterMs: 60_000, report: (node) => void reported.push(node) });
  let seq = 0;
  const event = (type: string, key: string, more: object = {}): void =>
    quiet.event(runEvent({ type, key, node: key, ...more }, { at: clock.now(), seq: ++seq }));
  return { clock, reported, event, quiet };
}

test("a node that says nothing is reported after a while, and less and less often", async () => {
  const { clock, reported, event, quiet } = setUp();
  event("node.started", "a#1");
  await clock.advance(59_000);
  expect(reported).toEqual([]);
  await clock.advance(10 * 60_000);
  quiet.close();

  expect(reported.map(({ node }) => node)).toEqual(["a#1", "a#1", "a#1", "a#1"]);
  expect(reported.map(({ quietMs }) => Math.round(quietMs / 60_000))).toEqual([1, 2, 4, 8]);
});

test("a node that is over, shows life, waits, or only runs others is not reported", async () => {
  const { clock, reported, event, quiet } = setUp();
  for (const key of ["over#1", "busy#1", "asks#1", "turn#1", "sleeps#1", "outer#1"]) event("node.started", key);
  event("node.finished", "over#1");
  event("question.asked", "asks#1");
  event("agent.turn-started", "turn#1");
  event("wait.started", "sleeps#1", { until: clock.now() + 600_000 });
  event("node.started", "outer#1/inner#1");
  for (let i = 0; i < 8; i++) {
    event("step.finished", "busy#1");
    event("step.finished", "outer#1/inner#1");
    await clock.advance(30_000);
  }
  expect(reported).toEqual([]);
  event("agent.turn-finished", "turn#1");
  event("node.finished", "outer#1/inner#1");
  event("node.finished", "busy#1");
  await clock.advance(90_000);
  quiet.close();

  expect(new Set(reported.map(({ node }) => node))).toEqual(new Set(["turn#1", "outer#1"]));
});
