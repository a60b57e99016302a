import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { eventDocument, eventDocumentPath, eventSchema, eventSchemaPath } from "../scripts/event-document.ts";
import { readEvent } from "../src/events/run-event.ts";
import { createCliWorld, patienceMs } from "./cli/cli-world.ts";

/** The formatter lays tables out. */
const plain = (text: string): string => text.replaceAll(/ *\| */g, "|").replaceAll(/-{3,}/g, "---");

test("docs/events.md and docs/events.schema.json are what the definitions say", () => {
  // Written by `npm run docs`.
  expect(plain(readFileSync(eventDocumentPath, "utf8"))).toBe(plain(eventDocument()));
  expect(JSON.parse(readFileSync(eventSchemaPath, "utf8"))).toEqual(eventSchema());
});

test(
  "every line that a ralph run prints with --json is an event of the union",
  async () => {
    const world = createCliWorld();
    const plan = JSON.stringify({ tasks: [{ id: "1", title: "One", verify: "true" }] });
    const script = world.script("run", [
      { agent: "planner", steps: [{ say: plan }] },
      { agent: "reviewer", steps: [{ say: JSON.stringify({ verdict: "correct", findings: [] }) }] },
      {
        steps: [
          { write: { path: "a.txt", content: "a" } },
          { say: "ok" },
          { usage: { inputTokens: 1, outputTokens: 1 } },
        ],
      },
    ]);
    const run = await world.run(["ralph", "do it", "--script", script, "--json"]);
    const types = new Set(run.events().map(({ type }) => type));

    expect(run.exitCode).toBe(0);
    expect([...types]).toEqual(
      expect.arrayContaining(["run.started", "task.updated", "agent.turn-finished", "review.finished"]),
    );
    for (const { runId: _, ...stored } of run.events()) {
      const { seq = 0, at, type } = stored;
      expect(readEvent({ ...JSON.parse(JSON.stringify(stored)), seq, at: Number(at), type })).toMatchObject({ type });
    }
  },
  patienceMs,
);
