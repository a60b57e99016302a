// What the layers above the engine report: agent turns, tasks, limits, checks, reviews, reports, kept work. Nodes hand
// them to `ctx.record`; the engine stores them and folds none of them.

import { defineEvents, type EventsOf } from "./define-events.ts";
import {
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

/** The engine adds these to what a node reports. */
const source = () => ({
  key: optional(text("The visit that it is about.")),
  node: optional(text()),
});

const usageFields = () => ({
  inputTokens: optional(number("Tokens read that no cache served.")),
  outputTokens: optional(number()),
  cacheReadTokens: optional(number()),
  cacheWriteTokens: optional(number()),
  costUsd: optional(nullable(number("Null: the backend states no price."))),
});

/** The usage of a turn as it is stored. */
export type RecordedUsage = ObjectOf<ReturnType<typeof usageFields>>;

const turnFields = () => ({
  ...source(),
  agent: text("The agent definition, or the backend."),
  backend: optional(text("The kind of agent that takes the turn.")),
  session: optional(nullable(text("The run's name of the session; null for one of a single turn."))),
  task: optional(nullable(text("The task it works on, by id."))),
  worker: optional(number("Which of the workers takes the turn, from 1.")),
  sessionId: optional(text("The backend's id of the session.")),
  turn: optional(text("The turn's id.")),
});

const taskFields = () => ({
  id: text(),
  title: text(),
  status: oneOf(["pending", "in_progress", "completed", "failed", "blocked"]),
  blockedBy: optional(list(text(), "Ids of the tasks that must be completed first.")),
  error: optional(text("Why it failed.")),
  description: optional(text()),
  priority: optional(number("Lower goes first.")),
  verify: optional(text("A command that exits 0 when the task is done.")),
  isSkipped: optional(yes("Completed without being done.")),
  metadata: optional(jsonObject("Everything else that its file knows about it.")),
});

const failureFields = () => ({
  kind: optional(text("`rate_limited`, `overloaded`, `auth`, `budget`, `timeout`, `crashed`, …")),
  message: text(),
  retryable: optional(flag()),
  resetAt: optional(nullable(time("When the limit ends."))),
  exitCode: optional(nullable(number())),
  status: optional(nullable(number("The HTTP status of the model's service."))),
});

const findingFields = () => ({
  title: text(),
  body: optional(text()),
  priority: text("P0 to P3."),
  file: optional(text()),
});

export const reportedEvents = defineEvents({
  "agent.turn-started": {
    note: "An agent begins a turn.",
    fields: () => ({ ...turnFields(), modelAsked: optional(nullable(text())) }),
  },
  "agent.usage-reported": {
    note: "What a turn has used so far, in all. Stored while it runs, so that a kill loses no cost.",
    fields: () => ({ ...turnFields(), usage: object(usageFields()) }),
  },
  "agent.turn-finished": {
    note: "A turn is over.",
    fields: () => ({
      ...turnFields(),
      outcome: oneOf(["completed", "failed", "interrupted"]),
      modelAsked: optional(nullable(text())),
      modelServed: optional(nullable(text())),
      usage: object(usageFields()),
      durationMs: optional(number()),
      failure: optional(object(failureFields())),
    }),
  },
  "agent.session-lost": {
    note: "An agent's session can't be continued; a new one starts without its memory.",
    fields: () => ({ ...source(), agent: text(), session: optional(nullable(text())) }),
  },
  "agent.session-cleared": { note: "A session starts afresh.", fields: () => ({ ...source(), session: text() }) },
  "agent.model-substituted": {
    note: "Another model answered than the one that was asked for.",
    fields: () => ({ ...source(), agent: text(), asked: text(), served: text() }),
  },
  "agent.limits-ignored": {
    note: "The backend can't enforce limits of the agent's definition.",
    fields: () => ({ ...source(), agent: text(), backend: text(), limits: list(text()), reason: text() }),
  },
  "agent.subagents-ignored": {
    note: "The backend takes no definitions of sub-agents, so these can't be started by the agent itself.",
    fields: () => ({ ...source(), backend: text(), agents: list(text()), reason: text() }),
  },
  "agent.switched": {
    note: "A backend is out, and the next in the run's order takes its turns.",
    fields: () => ({
      ...source(),
      from: text(),
      to: text(),
      kind: text("`rate_limited`, `overloaded`, `auth`, `budget` or `unavailable`."),
      message: text(),
      until: nullable(time("When the first is tried again; null: not by this process.")),
      task: optional(nullable(text("The task whose turn was moved, by id."))),
    }),
  },
  "agent.returned": {
    note: "A backend that was out has completed a turn again.",
    fields: () => ({ ...source(), agent: text() }),
  },
  "task.updated": {
    note: "A task of the workflow is new or has changed.",
    fields: () => ({ ...source(), task: object(taskFields()) }),
  },
  "iteration.started": {
    note: "An iteration that counts against the run's limit: a named one, or a round of a loop.",
    fields: () => ({
      ...source(),
      iteration: optional(text()),
      loop: optional(text()),
      round: optional(number()),
    }),
  },
  "limit.waiting": {
    note: "The run waits for a rate limit, or for the model's service.",
    fields: () => ({ ...source(), until: time("The next try."), kind: optional(text()), message: optional(text()) }),
  },
  "verify.finished": {
    note: "A check ran.",
    fields: () => ({
      ...source(),
      command: text(),
      exitCode: nullable(number("Null: ended by a signal or the time limit.")),
      endedBy: optional(text()),
      task: optional(nullable(text("The task it was for; null for the whole run."))),
      tree: optional(nullable(text("What the folder held when the check began, as a hash."))),
    }),
  },
  "review.finished": {
    note: "A review has its verdict.",
    fields: () => ({ ...source(), round: number(), verdict: text(), findings: list(object(findingFields())) }),
  },
  "report.written": {
    note: "The workflow's report: what was asked, checked and spent.",
    fields: () => ({ ...source(), report: json("The report.") }),
  },
  "work.started": { note: "How the workflow works, in its own words.", fields: () => ({ ...source(), mode: text() }) },
  "work.kept": {
    note: "The user's uncommitted work is kept under private refs before the first worker starts.",
    fields: () => ({
      ...source(),
      ref: optional(nullable(text())),
      files: optional(number()),
      staged: optional(nullable(text("The ref of what was staged, where that differs from the files."))),
      nested: optional(nullable(text("The ref of files of repositories inside this one."))),
      note: optional(nullable(text("What was not kept although there may have been something."))),
    }),
  },
  "isolation.chosen": {
    note: "Where the workers work: each in a separate work tree, or all in the user's folder.",
    fields: () => ({
      ...source(),
      mode: oneOf(["trees", "shared"]),
      dir: optional(text("The folder of the work trees.")),
      base: optional(text("The commit that the workers start from.")),
      reason: optional(text("Why they share the user's folder.")),
      shared: optional(list(text(), "Ignored folders that every work tree gets.")),
      notes: optional(list(text(), "What a work tree does not get, and why.")),
      setup: optional(text("The command that prepares each work tree.")),
    }),
  },
  "task.landed": {
    note: "A task's work is in the run's head.",
    fields: () => ({ ...source(), task: text(), commit: text() }),
  },
  "landing.conflicted": {
    note: "A task's work conflicts with what landed before; it goes back to its worker.",
    fields: () => ({ ...source(), task: text(), files: list(text()) }),
  },
  "work.not-landed": {
    note: "A worker changed what can't land: files under a filter, or in a repository inside the repository.",
    fields: () => ({
      ...source(),
      task: text(),
      files: list(
        object({
          file: text(),
          why: text(),
          kept: nullable(text("How to get at it.")),
        }),
      ),
    }),
  },
  "work.delivered": {
    note: "What has landed goes where the user wants it.",
    fields: () => ({
      ...source(),
      target: oneOf(["tree", "branch", "none"]),
      commit: text(),
      files: number("Files written or removed in the user's folder."),
      ref: text("The branch or ref that holds the work."),
      blocked: list(text(), "Files that the user changed meanwhile."),
      problem: nullable(text("Why it is not where it was to be.")),
    }),
  },
  "worktree.set-up": {
    note: "The command that prepares a work tree ran.",
    fields: () => ({
      ...source(),
      command: text(),
      exitCode: nullable(number()),
      output: text("The end of what it printed."),
    }),
  },
  "worktree.left": {
    note: "A work tree could not be removed.",
    fields: () => ({ ...source(), task: nullable(text()), problem: text() }),
  },
  "write-back.failed": {
    note: "The source of the task list could not be updated.",
    fields: () => ({ ...source(), file: optional(text()), problem: text() }),
  },
  "pull-request.made": {
    note: "A pull request was opened.",
    fields: () => ({ ...source(), url: optional(nullable(text())), branch: optional(nullable(text())) }),
  },
});

/** An event of a layer above the engine, as it is made. */
export type ReportedEvent = EventsOf<typeof reportedEvents>;
