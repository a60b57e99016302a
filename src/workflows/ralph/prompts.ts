// What Ralph says to its agents. The format of an answer that we parse is defined here, not in the agents' own files: a
// user may replace a worker, and the run still has to understand what comes back.

import { cacheTexts } from "../../lib/cache-texts.ts";
import { type TaskDetail, taskDetails } from "../../tasks/task-details.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { type Check, howItEnded } from "../checks/check.ts";
import { type Finding, fixRound, type ReviewRecord, type TaskRecord } from "./state.ts";
import type { Landing } from "./landing.ts";
import type { TaskTry } from "./task-try.ts";

export const completionWord = "COMPLETE";

export function planPrompt(goal: string, problem: string | undefined): string {
  return join(
    "Break the following work down into tasks that can be done one by one, or side by side where they don't depend on each other.",
    section("The work", goal),
    `Answer with one JSON object and nothing else:

{ "tasks": [{ "id": "1", "title": "…", "description": "…", "blockedBy": ["…"], "verify": "a shell command" }] }

- \`id\` is short and unique. \`title\` is one line. \`description\` tells a worker who sees nothing else all it needs: what to build, where, and how one can see that it works.
- \`blockedBy\` lists the ids of tasks that must be done first. Leave it out where there are none; never make a circle. Two tasks that change the same file depend on each other.
- \`verify\` is a command that exits with 0 only when the task is done. Leave it out where no command can tell.
- As few tasks as the work allows, each small enough for one sitting.`,
    problem === undefined ? undefined : section("Your last answer could not be used", problem),
  );
}

export interface Siblings {
  /** Those that it waited for, and those that are being worked on. */
  readonly near: readonly WorkflowTask[];
  /** Named after them, as far as there is room. */
  readonly all: Iterable<WorkflowTask>;
  /** The total number of tasks, including this one. */
  readonly total: number;
  /** Each worker has a separate folder. */
  readonly isApart?: boolean | undefined;
}

export function workPrompt(
  task: WorkflowTask,
  goal: string,
  siblings: Siblings,
  failed: FailedTry | undefined,
): string {
  return join(
    `Do this one task, completely, and no other: ${task.title}`,
    ...detailsOf(task).map(({ title, text }) => section(title, text)),
    task.verify === undefined ? undefined : section("It is done when this passes", task.verify),
    goal === "" ? undefined : section("What it is part of", goal),
    siblings.total <= 1
      ? undefined
      : section(
          `Other tasks of the same work, which others do, some of them at this moment ${siblings.isApart === true ? "in separate folders" : "in the same folder"}`,
          siblingLines(task, siblings).join("\n"),
        ),
    siblings.isApart === true ? section("Your folder", apartText) : undefined,
    failed === undefined ? undefined : section("An earlier try of this task did not pass", failedText(failed)),
  );
}

const apartText =
  "You work in a git work tree of your own. What you leave in it, changed and new files alike, is committed and merged with the others' work when you are done; ignored files, files under a git filter (Git LFS) and files in submodules are not. Commit nothing yourself, and leave branches, stashes and other folders alone.";

/** What a fix carries besides its description counts inside the run only. */
function detailsOf(task: WorkflowTask): readonly TaskDetail[] {
  const { metadata: _, ...fix } = task;
  return taskDetails(fixRound(task) === undefined ? task : fix);
}

const maxSiblings = 20;

/** The first tasks of a list are in the prompts of all the others. */
const siblingLine = cacheTexts(({ id, status, title }: WorkflowTask) => `- ${id} (${status}): ${title}`);

/** A long list is truncated. */
function siblingLines(task: WorkflowTask, { near, all, total }: Siblings): readonly string[] {
  const named = new Set([task.id]);
  const lines: string[] = [];
  for (const tasks of [near, all])
    for (const sibling of tasks) {
      if (lines.length >= maxSiblings) break;
      if (named.has(sibling.id)) continue;
      named.add(sibling.id);
      lines.push(siblingLine(sibling));
    }
  const left = total - 1 - lines.length;
  if (left > 0) lines.push(`- and ${left} more`);
  return lines;
}

export type FailedTry = Pick<TaskTry, "error" | "checks" | "landing">;

function failedText({ error, checks, landing }: FailedTry): string {
  const failed = checks.filter((check) => check.exitCode !== 0);
  const parts = failed.map(
    (check) => `\`${check.command}\` ${howItEnded(check)}. It printed:\n\n${fenced(check.output)}`,
  );
  if (error !== null) parts.unshift(error);
  if (landing !== undefined) parts.push(...landingTexts(landing));
  return parts.join("\n\n");
}

/** What the worker finds in its folder now, and what landed since it began. */
function landingTexts({ outcome, files, messages, meanwhile }: Landing): readonly string[] {
  const landed =
    meanwhile.length === 0
      ? []
      : [`Meanwhile this landed, and is in your folder now:\n\n${meanwhile.map((title) => `- ${title}`).join("\n")}`];
  if (outcome !== "conflict") return landed;
  return [
    `Your work was merged with what landed meanwhile, and both changed the same places. Your folder holds the merge, with conflict markers (<<<<<<<, =======, >>>>>>>) in these files:\n\n${files.map((file) => `- ${file}`).join("\n")}`,
    ...(messages.length === 0 ? [] : [`Git says:\n\n${fenced(messages.join("\n"))}`]),
    ...landed,
    "Resolve every conflict so that both changes work, and leave no markers.",
  ];
}

export function reviewPrompt(
  goal: string,
  tasks: readonly WorkflowTask[],
  records: readonly TaskRecord[],
  earlier: readonly ReviewRecord[],
  problem: string | undefined,
): string {
  const findings = earlier
    .flatMap((review) => review.findings)
    .map((finding) => `- ${finding.priority} ${finding.title}`);
  return join(
    "Review the work that was just done in this folder: read the changes and the code around them, run what you need to see for yourself. Change nothing.",
    goal === "" ? undefined : section("The work that was asked for", goal),
    section("The tasks, and what each of them asked for", reviewedTasks(tasks, records)),
    findings.length === 0
      ? undefined
      : section("Found by earlier reviews and said to be fixed since", findings.join("\n")),
    `Answer with one JSON object and nothing else:

{ "verdict": "correct" | "incorrect", "findings": [{ "title": "…", "body": "…", "priority": "P0" | "P1" | "P2" | "P3", "file": "…" }] }

- P0: it does not work or destroys something. P1: a real defect that users will meet. P2: should be fixed before this is called done. P3: a matter of taste or a later improvement.
- \`body\` says what is wrong, how to see it, and what would be right. Report what you verified, not what you suspect. No findings is a good answer.`,
    problem === undefined ? undefined : section("Your last answer could not be used", problem),
  );
}

/** Of all tasks together, in characters. A reviewer can't read more, and some models refuse it. */
const maxTasksChars = 100_000;

/** Every task with what it asked for; of a very long list, the last ones by their titles only. */
function reviewedTasks(tasks: readonly WorkflowTask[], records: readonly TaskRecord[]): string {
  const known = new Map(records.map((record) => [record.id, record]));
  const lines: string[] = [];
  let length = 0;
  for (const task of tasks) {
    const checks = known.get(task.id)?.checks ?? [];
    const seen = checks.map((check) => `${check.command} → ${check.exitCode ?? "killed"}`).join(", ");
    const head = `- ${task.id} (${task.status}): ${task.title}${seen === "" ? "" : ` [${seen}]`}`;
    const details = detailsOf(task).map(({ title, text }) => `  ${title}: ${text.replaceAll("\n", "\n    ")}`);
    const whole = [head, ...details].join("\n");
    const line = length + whole.length > maxTasksChars ? head : whole;
    length += line.length;
    if (length > 2 * maxTasksChars) {
      lines.push(`- and ${tasks.length - lines.length} more`);
      break;
    }
    lines.push(line);
  }
  return lines.join("\n");
}

export function fixDescription(finding: Finding): string {
  const place = finding.file === undefined ? "" : `\n\nIn ${finding.file}.`;
  return `A review found this (${finding.priority}): ${finding.body}${place}\n\nFix it with the smallest change that is right, with a test where one is possible.`;
}

export function yoloPrompt(goal: string, iteration: number, failed: readonly Check[]): string {
  return join(
    goal,
    iteration === 1
      ? undefined
      : "You have worked on this before, in this folder; what you did is there. Look first, then continue.",
    failed.length === 0
      ? undefined
      : section("You said it was complete, but a check failed", failedText({ error: null, checks: failed })),
    `When all of it is done and you have seen it work, end your answer with a last line that is exactly ${completionWord}. Otherwise say what is left.`,
  );
}

function section(title: string, body: string): string {
  return `## ${title}\n\n${body}`;
}

function fenced(text: string): string {
  // A longer fence than any inside, so that output can't end it.
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}

function join(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join("\n\n");
}
