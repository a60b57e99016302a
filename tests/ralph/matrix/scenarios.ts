// The runs of the ralph matrix. Each turn of an agent leaves a line in a file beside the project before it does anything
// else, so that a turn that is taken again shows. What a turn writes does not depend on how often it is taken.

import type { ScriptInput } from "../../../src/agents/scripted/script-schema.ts";

type Turn = ScriptInput["turns"][number];

export interface Scenario {
  /** What is typed, except the agent and its script. */
  readonly words: readonly string[];
  readonly turns: readonly Turn[];
  /** What the project holds before, committed. */
  readonly files?: Readonly<Record<string, string>>;
  /** What it holds besides, not committed. */
  readonly dirty?: Readonly<Record<string, string>>;
  /** Answers by the text of the question, given from another process when the run has paused for them. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Paused once by a limit, it is resumed with these words. */
  readonly resumeWith?: readonly string[];
  /** How it ends; default 0. */
  readonly exitCode?: number;
}

/** Workers may have separate folders, so the file is found from the home folder, which all share. */
export const effectsFile = '"$HOME/../effects.txt"';

/** A turn that says which step it is part of, and does its work. */
export function turn(step: string, choose: Omit<Turn, "steps">, ...steps: Turn["steps"]): Turn {
  return { ...choose, steps: [{ bash: `echo '${step}' >> ${effectsFile}`, expect: 0 }, ...steps, usage] };
}

const usage = { usage: { inputTokens: 100, outputTokens: 10, costUsd: 0.01 } };

/** A worker of a task: how each of its tries goes. */
export function worker(task: string, ...tries: Turn["steps"][]): Turn[] {
  const again = "An earlier try of this task did not pass";
  return tries
    .map((steps, i) =>
      turn(`task ${task} try ${i + 1}`, { agent: "worker", task, ...(i > 0 && { match: again }) }, ...steps),
    )
    .toReversed();
}

export const write = (path: string, content: string) => ({ write: { path, content } });
export const say = (text: string) => ({ say: text });
export const json = (value: object) => say(JSON.stringify(value));

export const scenarios: Readonly<Record<string, Scenario>> = {
  "plan, workers, failing check, review, fix": {
    words: ["ralph", "Build it", "--workers", "3", "--verify", "test -e a.txt || test -e b.txt || test -e c.txt"],
    files: { "README.md": "one\n", "touched.txt": "old\n" },
    dirty: { "touched.txt": "new\r\n", "untracked.bin": "\0\u0001\r\n" },
    turns: [
      turn(
        "plan 1",
        { agent: "planner" },
        json({
          tasks: [
            { id: "1", title: "First" },
            { id: "2", title: "Second", verify: "grep -q right b.txt" },
            { id: "3", title: "Third", blockedBy: ["#1"], verify: "test -e a.txt" },
          ],
        }),
      ),
      ...worker("1", [write("a.txt", "a\n"), say("done")]),
      ...worker("2", [write("b.txt", "wrong\n"), say("done")], [write("b.txt", "right\n"), say("mended")]),
      ...worker("3", [write("c.txt", "c\n"), say("done")]),
      ...worker("fix-1-1", [write("d.txt", "fixed\n"), say("fixed")]),
      turn(
        "review 2.1",
        { agent: "reviewer", match: "Found by earlier reviews" },
        json({ verdict: "correct", findings: [] }),
      ),
      turn(
        "review 1.1",
        { agent: "reviewer" },
        json({ verdict: "incorrect", findings: [{ title: "d is missing", body: "make d.txt", priority: "P1" }] }),
      ),
    ],
  },

  "a feature list with a task that fails": {
    words: [
      "ralph",
      "--feature-list",
      "list.json",
      "--trust",
      "--workers",
      "2",
      "--max-tries",
      "2",
      "--max-reviews",
      "0",
    ],
    files: {
      "list.json": JSON.stringify({
        features: [
          { id: "a", name: "A", description: "Is done", status: "passing" },
          { id: "b", name: "B", description: "Never passes", status: "failing", verify: "test -e never" },
          { id: "c", name: "C", description: "Waits for a", status: "pending", dependencies: ["a"] },
          { id: "d", name: "D", description: "Waits for b", status: "pending", dependencies: ["b"] },
        ],
      }),
    },
    turns: [
      ...worker("b", [write("b.txt", "first\n"), say("done")], [write("b.txt", "second\n"), say("done")]),
      ...worker("c", [write("c.txt", "c\n"), say("done")]),
    ],
    exitCode: 1,
  },

  "yolo with a check that fails once": {
    words: ["ralph", "--yolo", "Do it all", "--verify", "test -e proof.txt"],
    turns: [
      turn("iteration 3", { match: "You said it was complete" }, write("proof.txt", "p\n"), say("now\nCOMPLETE")),
      turn("iteration 2", { match: "You have worked on this before" }, write("two.txt", "2\n"), say("done\nCOMPLETE")),
      turn("iteration 1", {}, write("one.txt", "1\n"), say("not COMPLETE yet")),
    ],
  },

  "a rate limit in the middle": {
    words: ["ralph", "Build it", "--workers", "2", "--max-reviews", "0", "--max-iterations", "2"],
    turns: [
      turn(
        "plan 1",
        { agent: "planner" },
        json({
          tasks: [
            { id: "1", title: "One" },
            { id: "2", title: "Two" },
          ],
        }),
      ),
      { agent: "worker", task: "1", times: 1, steps: [{ fail: { kind: "rate_limited", resetInMs: 150 } }] },
      ...worker("1", [write("1.txt", "1\n"), say("done")]),
      ...worker("2", [write("2.txt", "2\n"), say("done")]),
    ],
  },

  "a question of a worker": {
    words: ["ralph", "Paint it", "--max-reviews", "0"],
    turns: [
      turn(
        "plan 1",
        { agent: "planner" },
        json({
          tasks: [
            { id: "1", title: "Paint" },
            { id: "2", title: "Wait" },
          ],
        }),
      ),
      ...worker("1", [
        { ask: { question: "Which colour?", options: ["red", "blue"] }, as: "colour" },
        write("colour.txt", "${colour}\n"),
        say("painted"),
      ]),
      ...worker("2", [write("2.txt", "2\n"), say("done")]),
    ],
    answers: { "Which colour?": "blue" },
  },

  "a limit of iterations, and a resume with more": {
    words: ["ralph", "Build it", "--workers", "1", "--max-reviews", "0", "--max-iterations", "2"],
    turns: [
      turn("plan 1", { agent: "planner" }, json({ tasks: ["1", "2", "3"].map((id) => ({ id, title: `Task ${id}` })) })),
      ...worker("1", [write("1.txt", "1\n"), say("done")]),
      ...worker("2", [write("2.txt", "2\n"), say("done")]),
      ...worker("3", [write("3.txt", "3\n"), say("done")]),
    ],
    resumeWith: ["--max-iterations", "3"],
  },
};
