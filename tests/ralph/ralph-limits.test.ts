// The limits of a ralph run, on the scripted agent: iterations, cost, and rate limits of the account.

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "atomic/workflows/graph";
import type { ScriptInput } from "../../src/agents/scripted/script-schema.ts";
import { createPlace, eventsOf, plan, runRalph } from "./run-ralph.ts";

describe("limits", () => {
  test("iterations with work left pause the run, and a resume with more continues", async () => {
    const place = createPlace();
    const turns: ScriptInput["turns"] = [
      plan({ id: "1" }, { id: "2" }, { id: "3" }),
      { agent: "worker", steps: [{ say: "done" }] },
    ];

    const first = await runRalph(place, turns, { prompt: "p", options: { workers: 1 }, limits: { maxIterations: 2 } });
    expect([first.status, first.reason]).toEqual(["paused", "budget"]);
    const second = await runRalph(place, turns, { resume: first.run, limits: { maxIterations: 10 } });

    expect(second.status).toBe("completed");
    const turnsTaken = eventsOf(place, "agent.turn-finished").map((event) => event["task"]);
    expect(turnsTaken.filter((task) => task === "1")).toHaveLength(1);
  }, 60_000);

  test("iterations are counted over workers that start at the same time", async () => {
    const place = createPlace();
    const turns: ScriptInput["turns"] = [
      plan({ id: "1" }, { id: "2" }, { id: "3" }, { id: "4" }),
      { agent: "worker", steps: [{ waitMs: 50 }, { say: "done" }] },
    ];

    const first = await runRalph(place, turns, { prompt: "p", options: { workers: 4 }, limits: { maxIterations: 2 } });

    expect([first.status, first.reason]).toEqual(["paused", "budget"]);
    expect(eventsOf(place, "iteration.started")).toHaveLength(2);
    // Both came to their end, and what was never let start is not in progress.
    expect(
      eventsOf(place, "agent.turn-finished")
        .slice(1)
        .map((event) => event["outcome"]),
    ).toEqual(["completed", "completed"]);
    const begun = eventsOf(place, "task.updated").filter(
      (event) => (event["task"] as JsonObject)["status"] === "in_progress",
    );
    expect(begun.length).toBeLessThanOrEqual(2);
    const second = await runRalph(place, turns, { resume: first.run, limits: { maxIterations: 4 } });
    expect(second.message).toBeUndefined();
    expect(second.status).toBe("completed");
    expect(eventsOf(place, "iteration.started")).toHaveLength(4);
  }, 60_000);

  test("a limit that should already be over is still waited for, longer each time", async () => {
    const place = createPlace();
    const turns: ScriptInput["turns"] = [
      plan({ id: "1" }),
      { agent: "worker", steps: [{ fail: { kind: "rate_limited", resetInMs: 0, message: "too many" } }] },
    ];

    const result = await runRalph(place, turns, { prompt: "p", limits: { maxWaitMinutes: 0.1 } });

    expect([result.status, result.reason]).toEqual(["paused", "budget"]);
    expect(result.message).toContain("later than --max-wait allows");
    expect(eventsOf(place, "agent.turn-started")).toHaveLength(2);
  }, 60_000);

  test("workers that run into the same limit wait once", async () => {
    const place = createPlace();
    const limited = (task: string): ScriptInput["turns"][number] => ({
      agent: "worker",
      task,
      times: 1,
      steps: [{ fail: { kind: "rate_limited", resetInMs: 700, message: "too many" } }],
    });
    const turns: ScriptInput["turns"] = [
      plan({ id: "1" }, { id: "2" }, { id: "3" }),
      limited("1"),
      limited("2"),
      limited("3"),
      { agent: "worker", steps: [{ say: "done" }] },
    ];

    // Three waits of 0.7 s one after the other would be too long.
    const result = await runRalph(place, turns, { prompt: "p", limits: { maxWaitMinutes: 1.5 / 60 } });

    expect(result.message).toBeUndefined();
    expect(result.status).toBe("completed");
  }, 60_000);

  test("cost is capped over all workers; a turn of unknown cost stops a capped run", async () => {
    const place = createPlace();
    const paid: ScriptInput["turns"] = [
      plan({ id: "1" }, { id: "2" }, { id: "3" }, { id: "4" }),
      { agent: "worker", steps: [{ say: "done" }, { usage: { inputTokens: 10, outputTokens: 10, costUsd: 0.4 } }] },
    ];
    (paid[0] as { steps: unknown[] }).steps.push({ usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.1 } });

    const capped = await runRalph(place, paid, { prompt: "p", limits: { maxCostUsd: 0.8 } });
    expect([capped.status, capped.reason]).toEqual(["paused", "budget"]);
    expect(capped.totals.costUsd).toBeLessThanOrEqual(1.2);

    const unknown = await runRalph(createPlace(), [plan({ id: "1" })], { prompt: "p", limits: { maxCostUsd: 1 } });
    expect([unknown.status, unknown.reason]).toEqual(["paused", "budget"]);
    expect(unknown.message).toContain("does not say what its turns cost");
  }, 60_000);

  test("a rate limit is waited out and uses up no iteration", async () => {
    const place = createPlace();
    const turns: ScriptInput["turns"] = [
      plan({ id: "1" }),
      {
        agent: "worker",
        times: 1,
        steps: [{ fail: { kind: "rate_limited", resetInMs: 300, message: "usage limit" } }],
      },
      { agent: "worker", steps: [{ say: "done" }] },
    ];

    const result = await runRalph(place, turns, { prompt: "p" });

    expect(result.status).toBe("completed");
    expect(eventsOf(place, "limit.waiting")).toHaveLength(1);
    expect(eventsOf(place, "iteration.started")).toHaveLength(1);
  }, 60_000);
});
