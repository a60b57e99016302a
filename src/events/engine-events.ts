// The events that the engine itself appends, and folds again on resume. Only the engine creates them.

import { defineEvents, type EventsOf } from "./define-events.ts";
import { errorFields } from "./error-record.ts";
import {
  eitherField,
  flagField,
  jsonField,
  jsonObjectField,
  listField,
  nullableField,
  numberField,
  objectField,
  type ObjectOfFields,
  oneOfField,
  optionalField,
  textField,
  timeField,
  yesField,
} from "./field.ts";

/** A failure as it is stored. */
export type ErrorRecord = ObjectOfFields<ReturnType<typeof errorFields>>;

const visitFields = () => ({
  key: textField("The visit: scope path, node and visit number."),
  node: textField(),
  visit: numberField("How often this node was reached in its branch, from 1."),
  attempt: numberField("1 for the first attempt of this visit."),
});

const questionFields = () => ({
  id: textField("How answers name it."),
  text: textField(),
  header: optionalField(textField()),
  options: optionalField(
    listField(eitherField(textField(), objectField({ label: textField(), description: optionalField(textField()) }))),
  ),
  multiSelect: optionalField(flagField("More than one option may be chosen.")),
  freeText: optionalField(flagField("Free text is accepted as well as the options.")),
  default: optionalField(jsonField("Taken when the question is declined.")),
});

/** A question as it is stored. */
export type AskedQuestion = ObjectOfFields<ReturnType<typeof questionFields>>;

const totals = () =>
  objectField(
    {
      turns: numberField(),
      inputTokens: numberField(),
      outputTokens: numberField(),
      costUsd: numberField(),
      turnsWithoutCost: numberField("Turns that did not state their cost."),
      activeMs: numberField(),
    },
    "What the run has used so far.",
  );

const pauseReasons = ["paused", "needs-human", "budget", "interrupted"] as const;
export type PauseReason = (typeof pauseReasons)[number];

export const engineEvents = defineEvents({
  "run.started": {
    note: "A process starts or resumes the run.",
    fields: () => ({
      workflow: nullableField(textField()),
      resumed: flagField("False on the first start only."),
      state: optionalField(jsonObjectField("The first state. This and the next four only on the first start.")),
      stateVersion: optionalField(numberField()),
      shape: optionalField(jsonField("The graph's ids, edges and state keys, to refuse a changed graph.")),
      reducers: optionalField(
        jsonObjectField(
          "How updates of a state key are combined: the built-in reducer's name, or own. Absent: replaced.",
        ),
      ),
      loopLimit: optionalField(oneOfField(["pause"], "What a loop without its own limit does at the run's limit.")),
      catches: optionalField(
        oneOfField(["once"], "How often the graph's catch runs for failures in parallel branches."),
      ),
      agent: optionalField(textField("The agent, as it is shown.")),
      agentKind: optionalField(textField("The agent that is preferred.")),
      agents: optionalField(
        listField(textField(), "All of its agents in order of preference, where there are several."),
      ),
      model: optionalField(nullableField(textField())),
      sessionDir: optionalField(textField()),
      maxIterations: optionalField(numberField()),
      limits: optionalField(jsonObjectField("The limits of this process.")),
      prompt: optionalField(textField()),
      options: optionalField(jsonObjectField("The workflow's own options.")),
      cwd: optionalField(textField()),
      taskSource: optionalField(textField("The file that the tasks come from.")),
      isProjectTrusted: optionalField(flagField()),
      descriptions: optionalField(jsonObjectField("What to show while a node runs, by node.")),
      capabilities: optionalField(jsonObjectField("Whether the workflow has tasks, agents, questions.")),
      script: optionalField(textField("The file that a scripted or replayed agent plays.")),
      noQuestions: optionalField(flagField()),
      sandbox: optionalField(oneOfField(["off", "worktree", "strict"], "How agents are sandboxed. Absent: off.")),
      forkedFrom: optionalField(
        objectField(
          { run: textField(), seq: numberField() },
          "The run that this one was forked from, and the last event it has of it.",
        ),
      ),
    }),
  },
  "node.started": { note: "An attempt of a node starts.", fields: visitFields },
  "node.finished": {
    note: "A node is done.",
    fields: () => ({
      ...visitFields(),
      update: optionalField(jsonObjectField("What it changes in the state.")),
      goto: optionalField(textField("The node it goes to instead of following the edges.")),
    }),
  },
  "node.failed": {
    note: "An attempt of a node failed.",
    fields: () => ({
      ...visitFields(),
      error: objectField(errorFields()),
      retryAt: optionalField(timeField("Another try follows then.")),
      goto: optionalField(textField("The failure was handled: the run continues there.")),
      update: optionalField(jsonObjectField("The failure was handled with this update.")),
      lost: optionalField(yesField("The branch is given up; its parallel node continues without it.")),
      caught: optionalField(yesField("The branch ends here; the graph's catch runs once all branches have ended.")),
    }),
  },
  "attempt.noted": {
    note: "A note for the next attempt of this visit.",
    fields: () => ({
      key: textField(),
      attempt: numberField(),
      note: jsonField("An agent's session, a process, a finished turn."),
    }),
  },
  "step.finished": {
    note: "A recorded part of a node is done and will not be repeated.",
    fields: () => ({ key: textField(), step: textField(), value: jsonField("What the part returned.") }),
  },
  "wait.started": {
    note: "A node sleeps until a time that survives a restart.",
    fields: () => ({
      key: textField(),
      wait: textField(),
      until: timeField("The end of the wait."),
      forMs: optionalField(numberField("How long it takes, by the clock at that moment.")),
    }),
  },
  "question.asked": {
    note: "A person has to answer.",
    fields: () => ({
      key: textField(),
      node: textField(),
      question: objectField(questionFields()),
      name: optionalField(textField("What the visit calls it, where that is not its id.")),
    }),
  },
  "question.answered": {
    note: "A question was answered.",
    fields: () => ({
      key: textField(),
      question: textField("The question's id."),
      answer: jsonField("The answer."),
      by: textField("Who answered."),
      request: optionalField(textField("The request it came with.")),
    }),
  },
  "branch.won": {
    note: "The first branch of a race is done.",
    fields: () => ({ key: textField(), branch: textField() }),
  },
  "subgraph.started": {
    note: "A node runs another graph.",
    fields: () => ({ key: textField(), workflow: nullableField(textField()), fingerprint: textField() }),
  },
  "state.migrated": {
    note: "The state was moved to a later version of the workflow.",
    fields: () => ({ from: numberField(), to: numberField() }),
  },
  "run.warned": {
    note: "Something went wrong that does not stop the run.",
    fields: () => ({
      kind: textField(),
      message: textField(),
      subject: textField("The same kind is reported once about one subject."),
    }),
  },
  "run.paused": {
    note: "The run stopped and can be resumed. The last line, unless the run is resumed.",
    fields: () => ({
      reason: oneOfField(pauseReasons),
      questions: optionalField(listField(jsonField("An open question."))),
      message: optionalField(textField("Why, in words.")),
      problem: optionalField(textField("What a person has to fix.")),
      limit: optionalField(textField("The limit that was reached.")),
      signal: optionalField(textField("The signal that stopped it.")),
      totals: optionalField(totals()),
    }),
  },
  "run.finished": {
    note: "The run is over. The last line.",
    fields: () => ({
      outcome: oneOfField(["completed", "failed", "cancelled"]),
      error: optionalField(objectField(errorFields())),
      totals: optionalField(totals()),
    }),
  },
});

export type EngineEvent = EventsOf<typeof engineEvents>;
