// An agent keeps its own todo list, in words that look like the workflow's. It is the agent's business: the tasks
// of the run are those that the workflow made, with the status that the workflow gave them.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { JsonObject } from "atomic/workflows/graph";
import { z } from "zod";
import { type AgentTool, defineAgentTool } from "../../src/agents/agent-tool.ts";
import type { AgentEvent } from "../../src/agents/events.ts";
import { createRecordingClient } from "../../src/agents/replay/recording-client.ts";
import { parseRecording, type Recording } from "../../src/agents/replay/recording-format.ts";
import { createReplayClient } from "../../src/agents/replay/replay-client.ts";
import type { ScriptInput, ScriptStep } from "../../src/agents/scripted/script-schema.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { WorkflowExecutionResult } from "../../src/workflows/executor.ts";
import { createPlace, eventsOf, plan, type RalphCall, type RalphPlace, runRalph } from "./run-ralph.ts";

/** Says the opposite of how it goes: 1 passes, 2 fails its check, 3 waits for 2, and there is no 4. */
const ownList = ["failed", "completed", "completed", "in_progress"].map((status, at) => ({
  id: String(at + 1),
  title: `Task ${at + 1}, renamed`,
  content: `Task ${at + 1}`,
  status,
  blockedBy: [],
}));
const todo: ScriptStep = {
  tool: { name: "TodoWrite", input: { todos: ownList, tasks: ownList, task: ownList[2] ?? null } },
};

/** Each worker does this before it says that it is done. */
function turns(...steps: readonly ScriptStep[]): ScriptInput["turns"] {
  return [
    plan({ id: "1", verify: "true" }, { id: "2", verify: "false" }, { id: "3", blockedBy: ["#2"] }),
    { agent: "worker", steps: [...steps, { say: "done" }] },
  ];
}

const withoutList = turns();
const withList = turns(todo, todo);

interface Outcome {
  readonly result: WorkflowExecutionResult;
  readonly place: RalphPlace;
}

/** One worker at a time, so that two runs can be compared event by event. */
async function run(script: ScriptInput["turns"], call: RalphCall = {}): Promise<Outcome> {
  const place = createPlace();
  const options = { workers: 1, "max-tries": 1 };
  return { place, result: await runRalph(place, script, { prompt: "p", options, ...call }) };
}

/** All that is visible of the tasks of a run. */
function tasksOf({ result, place }: Outcome): JsonObject {
  const file = JSON.parse(readFileSync(place.store.folder(result.run).tasks, "utf8")) as JsonObject;
  return {
    outcome: `${result.status}: ${result.error?.message}`,
    file: file["tasks"] ?? null,
    state: result.state["tasks"] as JsonObject[],
    updates: eventsOf(place, "task.updated").map((event) => event["task"] ?? null),
    turns: eventsOf(place, "agent.turn-started").map((event) => event["task"] ?? null),
    report: eventsOf(place, "report.written").map((event) => event["report"] ?? null),
  };
}

/** A tool that takes any list, and keeps its input. */
function listKeeper(): { readonly tool: AgentTool; readonly kept: unknown[] } {
  const kept: unknown[] = [];
  const tool = defineAgentTool({
    name: "TodoWrite",
    description: "keeps a todo list",
    parameters: z.looseObject({ todos: z.array(z.looseObject({})) }),
    execute: ({ todos }) => {
      kept.push(todos);
      return "Todos have been modified successfully";
    },
  });
  return { tool, kept };
}

/** The run with the list, recorded. */
async function record(): Promise<Outcome & { readonly kept: unknown[]; readonly recording: Recording }> {
  const lines: string[] = [];
  const { tool, kept } = listKeeper();
  const outcome = await run(withList, {
    tools: [tool],
    around: (agent) => createRecordingClient(agent, { clock: systemClock, write: (line) => lines.push(line) }),
  });
  return { ...outcome, kept, recording: parseRecording(`${lines.join("\n")}\n`, "memory") };
}

function todoKinds(recording: string): readonly string[] {
  return parseRecording(recording, "memory")
    .turns.flatMap(({ events }) => events.map(([, event]) => event))
    .flatMap((event) => (event.type === "tool.started" && event.name === "TodoWrite" ? [event.kind] : []));
}

describe("an agent's own todo list", () => {
  test("changes no task of the run, whatever a worker's tool gets", async () => {
    const expected = tasksOf(await run(withoutList));
    const recorded = await record();

    expect(recorded.kept).toEqual([ownList, ownList, ownList, ownList]);
    expect(tasksOf(recorded)).toEqual(expected);
    // What was compared is what the workflow made, and not nothing twice.
    expect(expected["file"]).toMatchObject([
      { id: "1", name: "Task 1", status: "passing" },
      { id: "2", name: "Task 2", status: "failing" },
      { id: "3", name: "Task 3", dependencies: ["2"] },
    ]);
    expect(expected["turns"]).toEqual([null, "1", "2"]);
    expect(expected["outcome"]).toContain("2 of 3 tasks are not done: 2 failed");
  }, 60_000);

  test("changes no task of a run that pauses in the middle of the worker's turn and resumes", async () => {
    const ask: ScriptStep = { ask: { question: "Which?" } };
    const stopAndGoOn = async (script: ScriptInput["turns"]): Promise<JsonObject[]> => {
      const tools = [listKeeper().tool];
      const first = await run(script, { tools });
      const paused = tasksOf(first);
      const answers = { "Which?": "this" };
      const result = await runRalph(first.place, script, { resume: first.result.run, tools, answers });
      return [paused, tasksOf({ ...first, result })];
    };

    const expected = await stopAndGoOn(turns(ask));

    expect(await stopAndGoOn(turns(todo, ask))).toEqual(expected);
    expect(expected[0]?.["file"]).toMatchObject([{ status: "in_progress" }, {}, { status: "pending" }]);
    expect(expected[1]?.["file"]).toMatchObject([{ status: "passing" }, { status: "failing" }, {}]);
  }, 60_000);

  test("changes no task either when the agent reports it as what it is, a tool of the kind `todo`", async () => {
    const { recording } = await record();
    const asTodo = (event: AgentEvent): AgentEvent =>
      event.type === "tool.started" && event.name === "TodoWrite" ? { ...event, kind: "todo" } : event;
    const reported: Recording = {
      ...recording,
      turns: recording.turns.map((turn) => ({
        ...turn,
        events: turn.events.map(([at, event]): readonly [number, AgentEvent] => [at, asTodo(event)]),
      })),
    };
    const seen: string[] = [];
    const replayed = await run([], {
      around: () =>
        createRecordingClient(createReplayClient({ recording: reported, source: "a recording" }), {
          clock: systemClock,
          write: (line) => seen.push(line),
        }),
    });

    expect(todoKinds(`${seen.join("\n")}\n`)).toEqual(["todo", "todo", "todo", "todo"]);
    expect(tasksOf(replayed)).toEqual(tasksOf(await run(withoutList)));
  }, 60_000);
});
