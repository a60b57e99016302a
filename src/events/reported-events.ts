// The events that the layers above the engine report: agent turns, tasks, limits, checks, reviews, reports, kept work.
// Nodes pass them to `ctx.record`; the engine stores them and folds none of them.

import { defineEvents, type EventsOf } from "./define-events.ts";
import {
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

/** The engine adds these to what a node reports. */
const source = () => ({
  key: optionalField(textField("The visit that it is about.")),
  node: optionalField(textField()),
});

const usageFields = () => ({
  inputTokens: optionalField(numberField("Tokens read that no cache served.")),
  outputTokens: optionalField(numberField()),
  cacheReadTokens: optionalField(numberField()),
  cacheWriteTokens: optionalField(numberField()),
  costUsd: optionalField(nullableField(numberField("Null: the backend states no price."))),
});

/** The usage of a turn as it is stored. */
export type RecordedUsage = ObjectOfFields<ReturnType<typeof usageFields>>;

const turnFields = () => ({
  ...source(),
  agent: textField("The agent definition, or the backend."),
  backend: optionalField(textField("The kind of agent that takes the turn.")),
  session: optionalField(nullableField(textField("The run's name of the session; null for one of a single turn."))),
  task: optionalField(nullableField(textField("The task it works on, by id."))),
  worker: optionalField(numberField("Which of the workers takes the turn, from 1.")),
  sessionId: optionalField(textField("The backend's id of the session.")),
  turn: optionalField(textField("The turn's id.")),
});

const taskFields = () => ({
  id: textField(),
  title: textField(),
  status: oneOfField(["pending", "in_progress", "completed", "failed", "blocked"]),
  blockedBy: optionalField(listField(textField(), "Ids of the tasks that must be completed first.")),
  error: optionalField(textField("Why it failed.")),
  description: optionalField(textField()),
  priority: optionalField(numberField("Lower goes first.")),
  verify: optionalField(textField("A command that exits 0 when the task is done.")),
  isSkipped: optionalField(yesField("Completed without being done.")),
  metadata: optionalField(jsonObjectField("Everything else that its file knows about it.")),
});

const failureFields = () => ({
  kind: optionalField(textField("`rate_limited`, `overloaded`, `auth`, `budget`, `timeout`, `crashed`, …")),
  message: textField(),
  retryable: optionalField(flagField()),
  resetAt: optionalField(nullableField(timeField("When the limit ends."))),
  exitCode: optionalField(nullableField(numberField())),
  status: optionalField(nullableField(numberField("The HTTP status of the model's service."))),
});

const findingFields = () => ({
  title: textField(),
  body: optionalField(textField()),
  priority: textField("P0 to P3."),
  file: optionalField(textField()),
});

export const reportedEvents = defineEvents({
  "agent.turn-started": {
    note: "An agent starts a turn.",
    fields: () => ({ ...turnFields(), modelAsked: optionalField(nullableField(textField())) }),
  },
  "agent.usage-reported": {
    note: "What a turn has used so far, in all. Stored while it runs, so that a kill loses no cost.",
    fields: () => ({ ...turnFields(), usage: objectField(usageFields()) }),
  },
  "agent.turn-finished": {
    note: "A turn is over.",
    fields: () => ({
      ...turnFields(),
      outcome: oneOfField(["completed", "failed", "interrupted"]),
      modelAsked: optionalField(nullableField(textField())),
      modelServed: optionalField(nullableField(textField())),
      usage: objectField(usageFields()),
      durationMs: optionalField(numberField()),
      failure: optionalField(objectField(failureFields())),
    }),
  },
  "agent.session-lost": {
    note: "An agent's session can't be continued; a new one starts without its memory.",
    fields: () => ({ ...source(), agent: textField(), session: optionalField(nullableField(textField())) }),
  },
  "agent.session-cleared": { note: "A session was cleared.", fields: () => ({ ...source(), session: textField() }) },
  "agent.model-substituted": {
    note: "A model other than the requested one answered.",
    fields: () => ({ ...source(), agent: textField(), asked: textField(), served: textField() }),
  },
  "agent.limits-ignored": {
    note: "The backend can't enforce limits of the agent's definition.",
    fields: () => ({
      ...source(),
      agent: textField(),
      backend: textField(),
      limits: listField(textField()),
      reason: textField(),
    }),
  },
  "agent.subagents-ignored": {
    note: "The backend takes no definitions of sub-agents, so these can't be started by the agent itself.",
    fields: () => ({ ...source(), backend: textField(), agents: listField(textField()), reason: textField() }),
  },
  "agent.switched": {
    note: "A backend is unavailable, and the next in the run's order takes its turns.",
    fields: () => ({
      ...source(),
      from: textField(),
      to: textField(),
      kind: textField("`rate_limited`, `overloaded`, `auth`, `budget` or `unavailable`."),
      message: textField(),
      until: nullableField(timeField("When the first is tried again; null: not by this process.")),
      task: optionalField(nullableField(textField("The task whose turn was moved, by id."))),
    }),
  },
  "agent.returned": {
    note: "A backend that was unavailable has completed a turn again.",
    fields: () => ({ ...source(), agent: textField() }),
  },
  "task.updated": {
    note: "A task of the workflow is new or has changed.",
    fields: () => ({ ...source(), task: objectField(taskFields()) }),
  },
  "iteration.started": {
    note: "An iteration that counts against the run's limit: a named one, or a round of a loop.",
    fields: () => ({
      ...source(),
      iteration: optionalField(textField()),
      loop: optionalField(textField()),
      round: optionalField(numberField()),
    }),
  },
  "limit.waiting": {
    note: "The run waits for a rate limit, or for the model's service.",
    fields: () => ({
      ...source(),
      until: timeField("The next try."),
      kind: optionalField(textField()),
      message: optionalField(textField()),
    }),
  },
  "verify.finished": {
    note: "A check ran.",
    fields: () => ({
      ...source(),
      command: textField(),
      exitCode: nullableField(numberField("Null: ended by a signal or the time limit.")),
      endedBy: optionalField(textField()),
      task: optionalField(nullableField(textField("The task it was for; null for the whole run."))),
      tree: optionalField(nullableField(textField("What the folder held when the check began, as a hash."))),
    }),
  },
  "review.finished": {
    note: "A review was finished.",
    fields: () => ({
      ...source(),
      round: numberField(),
      verdict: textField(),
      findings: listField(objectField(findingFields())),
    }),
  },
  "report.written": {
    note: "The workflow's report: what was asked, checked and spent.",
    fields: () => ({ ...source(), report: jsonField("The report.") }),
  },
  "work.started": {
    note: "How the workflow works, in its own words.",
    fields: () => ({ ...source(), mode: textField() }),
  },
  "work.kept": {
    note: "The user's uncommitted work is kept under private refs before the first worker starts.",
    fields: () => ({
      ...source(),
      ref: optionalField(nullableField(textField())),
      files: optionalField(numberField()),
      staged: optionalField(nullableField(textField("The ref of what was staged, where that differs from the files."))),
      nested: optionalField(nullableField(textField("The ref of files of repositories inside this one."))),
      note: optionalField(nullableField(textField("What was not kept although there may have been something."))),
    }),
  },
  "isolation.chosen": {
    note: "Where the workers work: each in a separate work tree, or all in the user's folder.",
    fields: () => ({
      ...source(),
      mode: oneOfField(["trees", "shared"]),
      dir: optionalField(textField("The folder of the work trees.")),
      base: optionalField(textField("The commit that the workers start from.")),
      reason: optionalField(textField("Why they share the user's folder.")),
      shared: optionalField(listField(textField(), "Ignored folders that every work tree gets.")),
      linked: optionalField(listField(textField(), "Those of them that are links to the user's own.")),
      notes: optionalField(listField(textField(), "What a work tree does not get, and why.")),
      setup: optionalField(textField("The command that prepares each work tree.")),
    }),
  },
  "task.landed": {
    note: "A task's work is in the run's head.",
    fields: () => ({ ...source(), task: textField(), commit: textField() }),
  },
  "landing.conflicted": {
    note: "A task's work conflicts with what landed before; it goes back to its worker.",
    fields: () => ({ ...source(), task: textField(), files: listField(textField()) }),
  },
  "work.not-landed": {
    note: "A worker changed what can't land: files under a filter, or in a repository inside the repository.",
    fields: () => ({
      ...source(),
      task: textField(),
      files: listField(
        objectField({
          file: textField(),
          why: textField(),
          kept: nullableField(textField("How to get at it.")),
        }),
      ),
    }),
  },
  "work.delivered": {
    note: "Delivery of the work that landed: where it went, or why it did not.",
    fields: () => ({
      ...source(),
      target: oneOfField(["tree", "branch", "none"]),
      commit: textField(),
      files: numberField("Files written or removed in the user's folder."),
      ref: textField("The branch or ref that holds the work."),
      blocked: listField(textField(), "Files that the user changed in the meantime."),
      problem: nullableField(textField("Why it was not delivered as requested.")),
    }),
  },
  "worktree.set-up": {
    note: "The command that prepares a work tree ran.",
    fields: () => ({
      ...source(),
      command: textField(),
      exitCode: nullableField(numberField()),
      output: textField("The end of what it printed."),
    }),
  },
  "worktree.left": {
    note: "A work tree could not be removed.",
    fields: () => ({ ...source(), task: nullableField(textField()), problem: textField() }),
  },
  "write-back.failed": {
    note: "The source of the task list could not be updated.",
    fields: () => ({ ...source(), file: optionalField(textField()), problem: textField() }),
  },
  "pull-request.made": {
    note: "A pull request was opened.",
    fields: () => ({
      ...source(),
      url: optionalField(nullableField(textField())),
      branch: optionalField(nullableField(textField())),
    }),
  },
});

/** An event of a layer above the engine, before the store adds number and time. */
export type ReportedEvent = EventsOf<typeof reportedEvents>;
