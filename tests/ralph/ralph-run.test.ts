// Ralph on the scripted agent, through the executor: real files, real git, real checks.

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "atomic/workflows/graph";
import snake from "../../demo/snake/script.ts";
import type { ScriptInput } from "../../src/agents/scripted/script-schema.ts";
import { pauseWith } from "../../src/workflows/graph/model/pause-with.ts";
import { createPlace, eventsOf, git, plan, runRalph } from "./run-ralph.ts";

const snakeTurns = snake.turns as ScriptInput["turns"];

describe("ralph with a prompt", () => {
  test("plans, works in parallel, fixes what fails, reviews, fixes the findings and reports", async () => {
    const place = createPlace();

    const result = await runRalph(place, snakeTurns, { prompt: "Build a snake game", options: { "max-reviews": 2 } });

    expect(result.error).toBeUndefined();
    expect(result.status).toBe("completed");
    const report = result.report as JsonObject & {
      tasks: (JsonObject & { id: string; tries: number; checks: JsonObject[] })[];
    };
    expect(report.tasks.map(({ id, tries }) => [id, tries])).toEqual([
      ["1", 1],
      ["2", 2],
      ["3", 1],
      ["4", 1],
      ["fix-1-1", 1],
    ]);
    expect(
      report.tasks.every(({ checks }) => checks.length > 0 && checks.every((check) => check["exitCode"] === 0)),
    ).toBe(true);
    expect(eventsOf(place, "verify.finished").some((event) => event["task"] === "2" && event["exitCode"] === 1)).toBe(
      true,
    );
    expect(eventsOf(place, "review.finished").map((event) => event["verdict"])).toEqual(["incorrect", "correct"]);
    expect(readFileSync(join(place.cwd, "src/snake.ts"), "utf8")).toContain("opposite");
    expect(result.totals.costUsd).toBeGreaterThan(0);
  }, 60_000);

  test("announces a task before its worker starts, and starts what is ready at the same time", async () => {
    const place = createPlace();
    // Each worker waits for the other's file: one after the other they would never end.
    const meet = (own: string, other: string) =>
      `touch ${own}; for i in $(seq 100); do [ -e ${other} ] && exit 0; sleep 0.05; done; exit 1`;
    const turns: ScriptInput["turns"] = [
      plan({ id: "a" }, { id: "b" }),
      { agent: "worker", task: "a", steps: [{ bash: meet("a.txt", "b.txt"), expect: 0 }, { say: "met" }] },
      { agent: "worker", task: "b", steps: [{ bash: meet("b.txt", "a.txt"), expect: 0 }, { say: "met" }] },
    ];

    const result = await runRalph(place, turns, { prompt: "meet" });

    expect(result.status).toBe("completed");
    const order = place.events
      .filter((event) => event.type === "task.updated" || event.type === "agent.turn-started")
      .map((event) =>
        event.type === "task.updated"
          ? `${(event["task"] as JsonObject)["id"] as string} ${(event["task"] as JsonObject)["status"] as string}`
          : `turn ${event["task"] as string}`,
      );
    expect(order.indexOf("a in_progress")).toBeLessThan(order.indexOf("turn a"));
    expect(order.indexOf("b in_progress")).toBeLessThan(order.indexOf("turn b"));
  }, 60_000);

  test("fails a task after its tries, blocks what depends on it, runs the rest, and says so", async () => {
    const place = createPlace();
    const turns: ScriptInput["turns"] = [
      plan({ id: "1", verify: "test -e never" }, { id: "2", blockedBy: ["#1"] }, { id: "3" }),
      { agent: "worker", steps: [{ bash: "date +%N >> log.txt" }, { say: "done" }] },
    ];

    const result = await runRalph(place, turns, { prompt: "p", options: { "max-tries": 2 } });

    expect(result.status).toBe("failed");
    expect(result.error?.message).toContain(
      "2 of 3 tasks are not done: 1 failed (not done after 2 tries: `test -e never` exits with 1); 2 blocked",
    );
    expect(eventsOf(place, "agent.turn-started").map((event) => event["task"])).toEqual(
      expect.arrayContaining(["1", "3"]),
    );
    expect(eventsOf(place, "agent.turn-started").map((event) => event["task"])).not.toContain("2");
  }, 60_000);

  test("stops a task early when its tries change nothing", async () => {
    const place = createPlace();
    const turns: ScriptInput["turns"] = [
      plan({ id: "1", verify: "false" }),
      { agent: "worker", steps: [{ say: "done" }] },
    ];

    const result = await runRalph(place, turns, { prompt: "p", options: { "max-tries": 10, "max-stuck": 1 } });

    expect(result).toMatchObject({ status: "paused", reason: "budget" });
    expect(result.message).toContain("stuck: 2 tries changed no file but ignored ones");
  }, 60_000);

  test("returns a faulty plan to the planner, and gives up after three tries", async () => {
    const place = createPlace();
    const turns: ScriptInput["turns"] = [plan({ id: "1", blockedBy: ["2"] }, { id: "2", blockedBy: ["1"] })];

    const result = await runRalph(place, turns, { prompt: "p" });

    expect(result.error?.message).toContain("no usable plan in 3 tries");
    expect(result.error?.message).toContain("1 -> 2 -> 1");
  }, 60_000);

  test("keeps uncommitted and untracked files under a private ref before the first worker starts", async () => {
    const place = createPlace();
    writeFileSync(join(place.cwd, "tracked.txt"), "one\n");
    git(place, "add", ".");
    git(place, "commit", "-qm", "first");
    writeFileSync(join(place.cwd, "tracked.txt"), "two\r\n");
    writeFileSync(join(place.cwd, "new file.bin"), new Uint8Array([0, 255, 13, 10]));
    const turns: ScriptInput["turns"] = [
      plan({ id: "1" }),
      { agent: "worker", steps: [{ bash: "echo gone > tracked.txt" }, { say: "done" }] },
    ];

    const result = await runRalph(place, turns, { prompt: "p" });

    const ref = `refs/atomic/kept/${result.run}`;
    expect((result.report as JsonObject)["kept"]).toMatchObject({ ref, files: 2 });
    expect(git(place, "show", `${ref}:tracked.txt`)).toBe("two\r\n");
    expect(git(place, "cat-file", "-s", `${ref}:new file.bin`).trim()).toBe("4");
    expect(git(place, "status", "--porcelain")).toBe(' M tracked.txt\n?? "new file.bin"\n');
  }, 60_000);
});

describe("a ralph run that stops and resumes", () => {
  test("lets workers finish beside one that asks, and announces nothing again that is done", async () => {
    const place = createPlace();
    const turns: ScriptInput["turns"] = [
      plan({ id: "asks" }, { id: "works" }, { id: "after", blockedBy: ["works"] }),
      { agent: "worker", task: "asks", steps: [{ ask: { question: "Which?" }, as: "it" }, { say: "${it}" }] },
      { agent: "worker", task: "works", steps: [{ bash: "echo works >> log.txt; sleep 0.4" }, { say: "done" }] },
      { agent: "worker", task: "after", steps: [{ bash: "echo after >> log.txt" }, { say: "done" }] },
    ];

    const first = await runRalph(place, turns, { prompt: "p" });
    expect([first.status, first.reason]).toEqual(["paused", "needs-human"]);
    expect(readFileSync(join(place.cwd, "log.txt"), "utf8")).toBe("works\nafter\n");
    const before = place.events.length;
    const second = await runRalph(place, turns, { resume: first.run, answers: { "Which?": "this" } });

    expect(second.status).toBe("completed");
    expect(readFileSync(join(place.cwd, "log.txt"), "utf8")).toBe("works\nafter\n");
    const told = place.events
      .slice(before)
      .filter(({ type }) => type === "task.updated")
      .map((event) => event["task"] as JsonObject)
      .map(({ id, status }) => `${id as string} ${status as string}`);
    expect(told).toEqual(["asks in_progress", "asks completed"]);
  }, 60_000);

  test("repeats a check in quiet while another worker waits for an answer, and then pauses", async () => {
    const place = createPlace();
    const turns: ScriptInput["turns"] = [
      plan({ id: "asks" }, { id: "checked", verify: "test -e asked || false" }),
      { agent: "worker", task: "asks", steps: [{ ask: { question: "Which?" }, as: "it" }, { say: "${it}" }] },
      { agent: "worker", task: "checked", steps: [{ say: "done" }] },
    ];

    const result = await runRalph(place, turns, { prompt: "p", options: { "max-tries": 2, "max-stuck": 0 } });

    expect([result.status, result.reason]).toEqual(["paused", "needs-human"]);
    expect(eventsOf(place, "verify.finished")).toHaveLength(2);
  }, 60_000);

  test("pauses at a limit of cost or iterations while a worker waits for an answer", async () => {
    for (const limits of [{ maxIterations: 1 }, { maxCostUsd: 0.5 }]) {
      const place = createPlace();
      const usage = { usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.3 } };
      const turns: ScriptInput["turns"] = [
        {
          ...plan({ id: "asks" }, { id: "1" }, { id: "2" }),
          steps: [...plan({ id: "asks" }, { id: "1" }, { id: "2" }).steps, usage],
        },
        { agent: "worker", task: "asks", steps: [{ ask: { question: "Which?" }, as: "it" }, { say: "${it}" }, usage] },
        { agent: "worker", steps: [{ say: "done" }, usage] },
      ];

      const result = await runRalph(place, turns, { prompt: "p", limits });

      expect(result.status).toBe("paused");
      expect(["budget", "needs-human"]).toContain(result.reason ?? "");
    }
  }, 60_000);

  test("begins each try in a fresh context, also when it was stopped between two tries", async () => {
    const place = createPlace();
    const stop = new AbortController();
    const turns: ScriptInput["turns"] = [
      plan({ id: "1", verify: "test -e good.txt || { touch checked.txt; exit 1; }" }),
      {
        agent: "worker",
        match: "^You were interrupted",
        steps: [{ bash: "echo wrong context >> log.txt" }, { say: "x" }],
      },
      { agent: "worker", match: "An earlier try", steps: [{ write: { path: "good.txt", content: "" } }, { say: "x" }] },
      { agent: "worker", steps: [{ say: "done" }] },
    ];
    const stopAfterFirstTry = (): void => {
      if (eventsOf(place, "verify.finished").length === 1) stop.abort(pauseWith("interrupted", {}));
    };

    const first = await runRalph(place, turns, { prompt: "p", signal: stop.signal, onEvent: stopAfterFirstTry });
    expect([first.status, first.reason]).toEqual(["paused", "interrupted"]);
    const second = await runRalph(place, turns, { resume: first.run });

    expect(second.status).toBe("completed");
    expect(existsSync(join(place.cwd, "log.txt"))).toBe(false);
    expect((second.report as { tasks: JsonObject[] }).tasks).toMatchObject([{ id: "1", tries: 2 }]);
  }, 60_000);
});

describe("ralph with a task list", () => {
  test("runs the open tasks in the file, and leaves the file as it is", async () => {
    const place = createPlace();
    const list = {
      version: "1.0",
      tasks: [
        { id: "1", name: "Done", status: "passing" },
        { id: "2", name: "Open", status: "failing", dependencies: ["1"] },
      ],
    };
    const file = join(place.cwd, "list.json");
    writeFileSync(file, JSON.stringify(list));

    const result = await runRalph(place, [{ agent: "worker", task: "2", steps: [{ say: "done" }] }], {
      options: { "feature-list": "list.json" },
    });

    expect(result.status).toBe("completed");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(list);
  }, 60_000);

  test("says how to make a missing file, and starts no run", async () => {
    const place = createPlace();

    await expect(runRalph(place, [])).rejects.toThrow(
      "There is no task list: neither research/tasks.json nor research/feature-list.json",
    );
    expect(place.store.localRuns()).toEqual([]);
  });
});

describe("ralph --yolo", () => {
  test("continues until the last line is the word and the checks agree", async () => {
    const place = createPlace();
    const turns: ScriptInput["turns"] = [
      { times: 1, steps: [{ say: "COMPLETE is what I would say\nbut not yet" }] },
      { times: 1, steps: [{ say: "all done\nCOMPLETE" }] },
      { steps: [{ write: { path: "proof.txt", content: "x" } }, { say: "now really\nCOMPLETE" }] },
    ];

    const result = await runRalph(place, turns, {
      prompt: "do it",
      options: { yolo: true, verify: ["test -e proof.txt"] },
    });

    expect(result.status).toBe("completed");
    expect(eventsOf(place, "iteration.started")).toHaveLength(3);
    expect(eventsOf(place, "verify.finished").map((event) => event["exitCode"])).toEqual([1, 0]);
  }, 60_000);

  test("needs a prompt", async () => {
    await expect(runRalph(createPlace(), [], { options: { yolo: true } })).rejects.toThrow(
      'Yolo mode requires a prompt. Use: /ralph --yolo "your task"',
    );
  });
});

describe("a folder that is not a repository", () => {
  test("is worked in anyway, and the report says that nothing was kept", async () => {
    const place = createPlace({ git: false });

    const result = await runRalph(place, [plan({ id: "1" }), { agent: "worker", steps: [{ say: "done" }] }], {
      prompt: "p",
    });

    expect(result.status).toBe("completed");
    expect(JSON.stringify((result.report as JsonObject)["kept"])).toContain("in no git repository");
    expect(existsSync(join(place.cwd, ".git"))).toBe(false);
    rmSync(place.cwd, { recursive: true });
  }, 60_000);
});
