import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { assert, constantFrom, jsonValue, oneof, property } from "fast-check";
import {
  eventDocument,
  eventDocumentPath,
  eventFamilies,
  eventSchema,
  eventSchemaPath,
} from "../scripts/event-document.ts";
import { shapesIn } from "../scripts/event-shapes.ts";
import type { EventDefinitions } from "../src/events/define-events.ts";
import { authorShapes, engineShapes, reportedShapes } from "../src/events/event-shapes.ts";
import { checksOf, type FieldShapes } from "../src/events/field-shape.ts";
import { readEvent } from "../src/events/run-event.ts";
import { createCliWorld, patienceMs } from "./cli/cli-world.ts";

/** The formatter lays tables out. */
const plain = (text: string): string => text.replaceAll(/ *\| */g, "|").replaceAll(/-{3,}/g, "---");

test("docs/events.md and docs/events.schema.json are what the definitions say", () => {
  // Written by `npm run docs`.
  expect(plain(readFileSync(eventDocumentPath, "utf8"))).toBe(plain(eventDocument()));
  expect(JSON.parse(readFileSync(eventSchemaPath, "utf8"))).toEqual(eventSchema());
});

test("src/events/event-shapes.ts is what the definitions say", () => {
  // Written by `npm run docs`.
  const { engineShapes: engine, reportedShapes: reported, authorShapes: author } = eventFamilies;
  expect(engineShapes).toEqual(shapesIn(engine));
  expect(reportedShapes).toEqual(shapesIn(reported));
  expect(authorShapes).toEqual(shapesIn(author));
});

test("the compact form of a field accepts what its definition accepts", () => {
  const plausible = constantFrom(
    ...[undefined, null, true, false, 0, 1, "", "text", "pause", "once", "pending", "completed", "trees", "tree"],
    ...[[], ["a"], [1], [{ label: "a" }], {}, { label: "a" }, { run: "r", seq: 1 }, { message: "m", code: 1 }],
    ...[{ id: "1", title: "One", status: "pending" }, { message: "m" }, { turns: 1 }, [{ title: "t", priority: "P0" }]],
  );
  for (const definitions of Object.values<EventDefinitions>(eventFamilies)) {
    const shapes = shapesIn(definitions);
    for (const [type, { fields }] of Object.entries(definitions)) {
      const checks = checksOf(JSON.parse(shapes[type] ?? "") as FieldShapes);
      const defined = Object.entries(fields());
      expect(Object.keys(checks)).toEqual(defined.map(([name]) => name));
      for (const [name, field] of defined) {
        expect([type, name, checks[name]?.isOptional]).toEqual([type, name, field.isOptional]);
        assert(
          property(oneof(plausible, jsonValue()), (value) => {
            expect([type, name, value, checks[name]?.accepts(value)]).toEqual([
              type,
              name,
              value,
              field.accepts(value),
            ]);
            // A value of the check's own type is never looked at.
            if (typeof value === checks[name]?.type) expect(field.accepts(value)).toBe(true);
          }),
          { numRuns: 40 },
        );
      }
    }
  }
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
