// Groups of events by subject. A fold ends its switch with the groups that it ignores:
//
//     default:
//       event satisfies VisitEvent | NoticeEvent;
//       return view;
//
// The compiler then checks that every event is either handled or in a group that is ignored on purpose. A new type of
// event goes into the group it belongs to; one without a group has to be handled by every fold.

import type { RunEventOf } from "./run-event.ts";

/** The start and the end of the run itself. */
export type LifeEvent = RunEventOf<"run.started" | "run.paused" | "run.finished">;

/** The progress of visits to nodes. */
export type VisitEvent = RunEventOf<"node.started" | "node.finished" | "node.failed" | "wait.started">;

/** What a later process needs in order to resume. No view shows it. */
export type ResumeEvent = RunEventOf<
  "attempt.noted" | "step.finished" | "branch.won" | "subgraph.started" | "state.migrated" | "agent.session-cleared"
>;

export type QuestionEvent = RunEventOf<"question.asked" | "question.answered">;

/** Turns of agents. */
export type TurnEvent = RunEventOf<"agent.turn-started" | "agent.usage-reported" | "agent.turn-finished">;

/** What a user should be told once about an agent or the run: printers can't ignore these. */
export type NoticeEvent = RunEventOf<
  | "run.warned"
  | "agent.session-lost"
  | "agent.model-substituted"
  | "agent.limits-ignored"
  | "agent.subagents-ignored"
  | "write-back.failed"
>;

/** Changes of the agent that takes the run's turns. */
export type AgentOrderEvent = RunEventOf<"agent.switched" | "agent.returned">;

/** The progress of the work: tasks, rounds, checks, reviews, the report. */
export type WorkEvent = RunEventOf<
  | "task.updated"
  | "task.landed"
  | "iteration.started"
  | "limit.waiting"
  | "verify.finished"
  | "review.finished"
  | "report.written"
  | "work.started"
  | "pull-request.made"
>;

/** Folders of workers, and what becomes of the work in them. */
export type WorktreeEvent = RunEventOf<
  | "work.kept"
  | "isolation.chosen"
  | "landing.conflicted"
  | "work.delivered"
  | "work.not-landed"
  | "worktree.left"
  | "worktree.set-up"
>;

/** Events of workflow authors, and of later versions. */
export type ForeignEvent = RunEventOf<"custom" | "unknown">;
