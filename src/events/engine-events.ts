// What the engine itself appends, and folds again on resume. Only the engine makes these.

import { defineEvents, type EventsOf } from "./define-events.ts";
import {
  either,
  flag,
  json,
  jsonObject,
  list,
  nullable,
  number,
  object,
  type ObjectOf,
  oneOf,
  optional,
  text,
  time,
  yes,
} from "./field.ts";

const errorFields = () => ({
  message: text(),
  code: optional(text("An error code of docs/errors.md, where there is one.")),
  name: optional(text()),
});

/** A failure as it is stored. */
export type ErrorRecord = ObjectOf<ReturnType<typeof errorFields>>;

export const errorRecord = () => object(errorFields());

const visitFields = () => ({
  key: text("The visit: scope path, node and visit number."),
  node: text(),
  visit: number("How often this node was reached in its branch, from 1."),
  attempt: number("1 for the first try of this visit."),
});

const questionFields = () => ({
  id: text("How answers name it."),
  text: text(),
  header: optional(text()),
  options: optional(list(either(text(), object({ label: text(), description: optional(text()) })))),
  multiSelect: optional(flag("More than one option may be chosen.")),
  freeText: optional(flag("Free text is accepted as well as the options.")),
  default: optional(json("Taken when the question is declined.")),
});

/** A question as it is stored. */
export type AskedQuestion = ObjectOf<ReturnType<typeof questionFields>>;

const totals = () =>
  object(
    {
      turns: number(),
      inputTokens: number(),
      outputTokens: number(),
      costUsd: number(),
      turnsWithoutCost: number("Turns that did not state their cost."),
      activeMs: number(),
    },
    "What the run has used so far.",
  );

const pauseReasons = ["paused", "needs-human", "budget", "interrupted"] as const;
export type PauseReason = (typeof pauseReasons)[number];

export const engineEvents = defineEvents({
  "run.started": {
    note: "A process starts or resumes the run.",
    fields: () => ({
      workflow: nullable(text()),
      resumed: flag("False on the first start only."),
      state: optional(jsonObject("The first state. This and the next four only on the first start.")),
      stateVersion: optional(number()),
      shape: optional(json("The graph's ids, edges and state keys, to refuse a changed graph.")),
      loopLimit: optional(oneOf(["pause"], "What a loop without its own limit does at the run's limit.")),
      catches: optional(oneOf(["once"], "How often the graph's catch runs for failures in parallel branches.")),
      agent: optional(text("The agent, as it is shown.")),
      agentKind: optional(text("The agent that is preferred.")),
      agents: optional(list(text(), "All of its agents in order of preference, where there are several.")),
      model: optional(nullable(text())),
      sessionDir: optional(text()),
      maxIterations: optional(number()),
      limits: optional(jsonObject("The limits of this process.")),
      prompt: optional(text()),
      options: optional(jsonObject("The workflow's own options.")),
      cwd: optional(text()),
      taskSource: optional(text("The file that the tasks come from.")),
      isProjectTrusted: optional(flag()),
      descriptions: optional(jsonObject("What to show while a node runs, by node.")),
      capabilities: optional(jsonObject("Whether the workflow has tasks, agents, questions.")),
      script: optional(text("The file that a scripted or replayed agent plays.")),
      noQuestions: optional(flag()),
      sandbox: optional(oneOf(["off", "worktree", "strict"], "How far agents are held back. Absent: off.")),
      forkedFrom: optional(
        object(
          { run: text(), seq: number() },
          "The run that this one was forked from, and the last event it has of it.",
        ),
      ),
    }),
  },
  "node.started": { note: "A node begins a try.", fields: visitFields },
  "node.finished": {
    note: "A node is done.",
    fields: () => ({
      ...visitFields(),
      update: optional(jsonObject("What it changes in the state.")),
      goto: optional(text("The node it goes to instead of following the edges.")),
    }),
  },
  "node.failed": {
    note: "A try of a node failed.",
    fields: () => ({
      ...visitFields(),
      error: object(errorFields()),
      retryAt: optional(time("Another try follows then.")),
      goto: optional(text("The failure was handled: the run continues there.")),
      update: optional(jsonObject("The failure was handled with this update.")),
      lost: optional(yes("The branch is given up; its parallel node continues without it.")),
      caught: optional(yes("The branch ends here; the graph's catch runs once all branches have ended.")),
    }),
  },
  "attempt.noted": {
    note: "A note that the next try of this visit will read.",
    fields: () => ({ key: text(), attempt: number(), note: json("An agent's session, a process, a finished turn.") }),
  },
  "step.finished": {
    note: "A recorded part of a node is done and will not be repeated.",
    fields: () => ({ key: text(), step: text(), value: json("What the part returned.") }),
  },
  "wait.started": {
    note: "A node sleeps until a time that survives a restart.",
    fields: () => ({
      key: text(),
      wait: text(),
      until: time("The end of the wait."),
      forMs: optional(number("How long it takes, by the clock at that moment.")),
    }),
  },
  "question.asked": {
    note: "A person has to answer.",
    fields: () => ({
      key: text(),
      node: text(),
      question: object(questionFields()),
      name: optional(text("What the visit calls it, where that is not its id.")),
    }),
  },
  "question.answered": {
    note: "A question has its answer.",
    fields: () => ({
      key: text(),
      question: text("The question's id."),
      answer: json("The answer."),
      by: text("Who answered."),
      request: optional(text("The request it came with.")),
    }),
  },
  "branch.won": { note: "The first branch of a race is done.", fields: () => ({ key: text(), branch: text() }) },
  "subgraph.started": {
    note: "A node runs another graph.",
    fields: () => ({ key: text(), workflow: nullable(text()), fingerprint: text() }),
  },
  "state.migrated": {
    note: "The state was moved to a later version of the workflow.",
    fields: () => ({ from: number(), to: number() }),
  },
  "run.warned": {
    note: "Something went wrong that does not stop the run.",
    fields: () => ({
      kind: text(),
      message: text(),
      subject: text("The same kind is reported once about one subject."),
    }),
  },
  "run.paused": {
    note: "The run stopped and can be resumed. The last line, unless the run is resumed.",
    fields: () => ({
      reason: oneOf(pauseReasons),
      questions: optional(list(json("An open question."))),
      message: optional(text("Why, in words.")),
      problem: optional(text("What a person has to fix.")),
      limit: optional(text("The limit that was reached.")),
      signal: optional(text("The signal that stopped it.")),
      totals: optional(totals()),
    }),
  },
  "run.finished": {
    note: "The run is over. The last line.",
    fields: () => ({
      outcome: oneOf(["completed", "failed", "cancelled"]),
      error: optional(object(errorFields())),
      totals: optional(totals()),
    }),
  },
});

export type EngineEvent = EventsOf<typeof engineEvents>;
