// A run whose tasks were partly completed by an earlier one: says so, and asks at a terminal what to do. Where no user
// can be asked, nothing is started: doing paid work again, or leaving some out, is the user's choice.

import type { EarlierWork } from "../../app/earlier-work.ts";
import { counted } from "../../lib/counted.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { Io } from "../io.ts";

export type EarlierChoice = "resume" | "leave-out" | "redo";

/** Throws TASKS_DONE_EARLIER if no user can be asked, or no choice is made. */
export function chooseAboutEarlierWork(
  earlier: EarlierWork,
  io: Pick<Io, "warn" | "ask" | "isInteractive">,
  values: OptionValues,
): EarlierChoice {
  if (!io.isInteractive || values["json"] === true || values["no-questions"] === true) throw refusal(earlier);
  const choices = choicesOf(earlier);
  io.warn(`${describeEarlier(earlier)}.\n${choices.map(({ text }, i) => `  ${i + 1}  ${text}`).join("\n")}`);
  const answer = io.ask(`Which one? [${choices.map((_, i) => i + 1).join("/")}, Enter to cancel]`)?.trim() ?? "";
  const chosen = choices[Number(answer) - 1];
  if (answer === "" || chosen === undefined) throw refusal(earlier);
  return chosen.choice;
}

/** For a list in which nothing is open. */
export function allDoneText(file: string): string {
  return `All tasks of ${safeLine(file, 400)} are already marked as completed, so none is run. Add --redo to run them again.`;
}

export function leavingOutText(earlier: EarlierWork): string {
  if (earlier.remaining === 0)
    return `${describeEarlier(earlier)}. No task is left to run. Use --redo to run them again.`;
  return `${describeEarlier(earlier)}. This run takes the ${counted(earlier.remaining, "task")} that ${earlier.remaining === 1 ? "is" : "are"} left.`;
}

function choicesOf(earlier: EarlierWork): readonly { readonly choice: EarlierChoice; readonly text: string }[] {
  const { remaining } = earlier;
  return [
    ...(earlier.canResume ? [{ choice: "resume" as const, text: "Resume that run" }] : []),
    ...(remaining > 0
      ? [{ choice: "leave-out" as const, text: `Start a new run for the ${counted(remaining, "task")} left` }]
      : []),
    { choice: "redo", text: "Start a new run that does all of it again" },
  ];
}

function refusal(earlier: EarlierWork): AtomicError {
  const { run, canResume, remaining } = earlier;
  const ways = [
    ...(canResume ? [`resume that run with \`atomic resume ${run}\``] : []),
    ...(remaining > 0 ? [`start a new one for the ${counted(remaining, "task")} left with --remaining`] : []),
    "do all of it again with --redo",
  ];
  const text = `${describeEarlier(earlier)}. Nothing was started. ${upperFirst(ways.join(", or "))}.`;
  return new AtomicError("TASKS_DONE_EARLIER", text, { details: { run, completed: earlier.completedIds } });
}

function describeEarlier({ run, status, completed, total, file }: EarlierWork): string {
  const some = completed === total ? `all ${total} tasks` : `${completed} of ${total} tasks`;
  return `An earlier run completed ${total === 1 ? "the only task" : some} of ${safeLine(file, 400)}: ${run} (${status})`;
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
