// One run, for a user: its status and what to do next; and the same as data for a program.

import { localTime } from "../../lib/local-time.ts";
import type { RunPage } from "../../app/run-page.ts";
import { pauseReason, type RunStatus } from "../../app/run-status.ts";
import type { Json } from "../../lib/json.ts";
import { safeLine, safeText } from "../../lib/safe-text.ts";
import { countTasks, withBlocked } from "../../tasks/task-order.ts";
import {
  formatCost,
  formatDuration,
  formatTurns,
  taskLine,
  titleOf,
  waitText,
} from "../../workflows/sessions/progress-text.ts";
import { historyTail } from "../../workflows/sessions/session-history.ts";
import { type AgentRow, agentTree } from "../../workflows/sessions/live-view.ts";
import { liveTurns } from "../../workflows/sessions/turn-views.ts";
import { type SessionView, totalsOf } from "../../workflows/sessions/session-view.ts";
import { eventLine } from "./event-line.ts";
import { liveText } from "./live-text.ts";
import { questionFacts, questionText } from "./question-text.ts";
import { statusText } from "./session-list.ts";

const elsewhereText = "Its process is on another machine, or in a container, that can't be seen from here.";

function isUnderWay(status: RunStatus): boolean {
  return status === "running" || status === "interrupted" || status === "elsewhere";
}

/** `failure`: what the node threw whose failure ended the run. */
export function sessionPage(
  page: RunPage,
  now: number,
  failure?: { readonly node: string; readonly stack: string },
): string {
  const { view, status, folder } = page;
  const totals = totalsOf(view);
  const tasks = withBlocked([...view.tasks.values()]);
  const counts = countTasks(tasks);
  const lines = [
    `${titleOf(safeLine(view.workflow))} session: ${view.id}`,
    `Status:  ${statusText({ status, reason: pauseReason(page) })}`,
    ...optional("Why:     ", view.message, 1000),
    ...(status === "elsewhere" ? [`         ${elsewhereText}`] : []),
    ...(isUnderWay(status) ? optional("Phase:   ", view.phase) : []),
    `Agent:   ${safeLine(view.agent)}`,
    `Folder:  ${safeLine(view.cwd, 500)}`,
    ...optional("Prompt:  ", view.prompt, 300),
    ...(view.forkedFrom === undefined
      ? []
      : [`Forked:  from ${view.forkedFrom.run} after event ${view.forkedFrom.seq}`]),
    `Started: ${localTime(view.createdAt)}`,
    `Updated: ${localTime(view.updatedAt)}`,
    `Spent:   ${formatCost(totals)}, ${totals.inputTokens + totals.outputTokens} tokens in ${formatTurns(totals.turns)}, ${formatDuration(totals.activeMs)}`,
    `Files:   ${safeLine(folder.dir, 500)}`,
  ];
  if (view.waitingUntil !== undefined) {
    lines.push(`Waits:   ${waitText(view.waitingUntil, view.waitingFor)}`);
  }
  const named = { id: view.id, questions: everyQuestion(page) };
  for (const question of view.questions.values())
    lines.push(`Asks:    ${questionText(question, named).replaceAll("\n", "\n       ")}`);
  for (const { question, answer } of page.savedAnswers)
    lines.push(
      `Asked:   ${safeLine(question.text, 500)}`,
      `         answered ${answerText(answer)}; it is used when the run is resumed`,
    );
  if (tasks.length > 0)
    lines.push("", `Tasks: ${counts.completed} of ${counts.total} done`, ...tasks.map((task) => `  ${taskLine(task)}`));
  if (view.live.size > 0) lines.push("", "Now:", ...liveText(view, now).map((line) => `  ${line}`));
  if (failure !== undefined)
    lines.push("", `Stack of "${safeLine(failure.node)}":`, ...stackLines(failure.stack).map((line) => `  ${line}`));
  lines.push("", "Last events:", ...view.recent.slice(-10).map((event) => `  ${eventLine(event)}`));
  if (status === "paused" || status === "interrupted") lines.push("", `Resume with: atomic resume ${view.id}`);
  if (status === "failed") lines.push("", `Retry what failed with: atomic resume ${view.id}`);
  if (status === "elsewhere")
    lines.push("", `If that process is gone for good, resume with: atomic resume ${view.id} --take-over`);
  return lines.join("\n");
}

/** Names of questions are told apart from those that have their answer, too. */
function everyQuestion({ view, savedAnswers }: Pick<RunPage, "view" | "savedAnswers">): SessionView["questions"] {
  return savedAnswers.reduce((all, { question }) => all.set(question.id, question), view.questions);
}

function answerText(answer: Json): string {
  return safeLine(JSON.stringify(answer), 200);
}

export function sessionFacts({ view, status, folder, info, savedAnswers }: RunPage): object {
  const { id, workflow, agent, prompt, cwd, taskSource, mode, createdAt, updatedAt, reason, message, phase } = view;
  const { iteration, maxIterations, options, pullRequest, waitingUntil, waitingFor, report } = view;
  const { recent, tasks, questions, completedAt, history, agentSessions, nodes, evidence } = view;
  return {
    ...{ id, workflow, agent, prompt, cwd, taskSource, mode, createdAt, updatedAt, reason, message, phase },
    ...{ iteration, maxIterations, options, pullRequest, waitingUntil, waitingFor, report },
    forkedFrom: view.forkedFrom,
    completedTasks: view.completedTasks,
    agentSessions: Object.fromEntries([...agentSessions].map(([name, ids]) => [name, Object.fromEntries(ids)])),
    nodes: [...nodes.values()],
    liveTurns: liveTurns(view),
    live: [...view.live.values()].map((turn) => ({ ...turn, agents: agentTree(turn).map(agentFacts) })),
    spentByTask: Object.fromEntries(view.spentByTask),
    spentByAgent: Object.fromEntries(view.spentByAgent),
    evidence: Object.fromEntries(evidence),
    status,
    sessionDir: folder.dir,
    pid: status === "running" ? info.ownedBy?.pid : undefined,
    totals: totalsOf(view),
    tasks: withBlocked([...tasks.values()]),
    completedAt: Object.fromEntries(completedAt),
    history: historyTail(history),
    questions: questionFacts(questions, everyQuestion({ view, savedAnswers })),
    savedAnswers: savedAnswers.map(({ question, answer }) => ({ question: question.id, text: question.text, answer })),
    lastEvents: recent,
  };
}

function agentFacts({ agent, depth }: AgentRow): object {
  return { ...agent, depth };
}

const maxStackLines = 30;

function stackLines(stack: string): readonly string[] {
  const lines = safeText(stack).split("\n");
  return lines.length <= maxStackLines ? lines : [...lines.slice(0, maxStackLines), "…"];
}

function optional(label: string, text: string | undefined, length = 200): readonly string[] {
  return text === undefined || text === "" ? [] : [`${label}${safeLine(text, length)}`];
}
