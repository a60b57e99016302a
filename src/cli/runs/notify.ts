// Notifies the user that a run asks, ended or failed: with a desktop notification, or by a custom command
// (the setting `notify`). A run never waits for it while it works, and at its end only for a moment.

import { createProcessRegistry } from "../../agents/process/process-registry.ts";
import { childEnvironment } from "../../agents/process/child-environment.ts";
import { runShell } from "../../agents/process/run-shell.ts";
import { steadyClock } from "../../lib/clock.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { noticeSequence } from "../../lib/terminal-notice.ts";
import type { RunEvent } from "../../events/run-event.ts";
import { titleOf } from "../../workflows/sessions/progress-text.ts";
import type { Screen } from "../io.ts";

type Occasion = "asks" | "completed" | "failed" | "paused";

interface Notice {
  readonly occasion: Occasion;
  readonly run: string;
  readonly workflow: string;
  readonly text: string;
}

export interface Notifier {
  /** Notifies about the events that a user waits for. */
  event(run: string, event: RunEvent): void;
  /** Waits for what was started, at most a moment. Resolves with what went wrong. */
  close(): Promise<readonly string[]>;
}

export interface NotifierOptions {
  /** `desktop`, or a shell command. */
  readonly setting: string;
  readonly workflow: string;
  readonly cwd: string;
  /** The run's own folder for records of processes. */
  readonly processesDir: (run: string) => Promise<string>;
  readonly screen: Screen | undefined;
  readonly limitMs?: number | undefined;
}

const desktopCommands: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'command -v notify-send >/dev/null || exit 0; notify-send "Atomic" "$ATOMIC_NOTIFY_TEXT"',
  darwin: `osascript -e 'display notification (system attribute "ATOMIC_NOTIFY_TEXT") with title "Atomic"'`,
};

export function createNotifier(options: NotifierOptions): Notifier {
  const { setting, cwd, screen, limitMs = 5000 } = options;
  const isDesktop = setting === "desktop";
  const command = isDesktop ? desktopCommands[process.platform] : setting;
  const started: Promise<string | undefined>[] = [];
  const open = new Set<string>();

  async function start({ occasion, run, workflow, text }: Notice, line: string): Promise<string | undefined> {
    const facts = { OCCASION: occasion, RUN: run, WORKFLOW: workflow, TEXT: text };
    const variables = Object.entries(facts).map(([name, value]) => [`ATOMIC_NOTIFY_${name}`, safeLine(value, 500)]);
    const stop = AbortSignal.timeout(limitMs);
    const { exitCode } = await runShell({
      command: line,
      cwd,
      env: { ...childEnvironment({ user: process.env }), ...(Object.fromEntries(variables) as Record<string, string>) },
      registry: createProcessRegistry(await options.processesDir(run)),
      clock: steadyClock,
      signal: stop,
      onOutput: () => undefined,
    });
    if (stop.aborted) return `The notify command took longer than ${limitMs / 1000} s and was ended.`;
    return exitCode === 0 ? undefined : `The notify command failed with exit code ${exitCode ?? "none"}.`;
  }

  return {
    event(run, event) {
      const notice = noticeOf(run, options.workflow, event);
      if (event.type === "question.asked") open.add(event.question.id);
      if (event.type === "question.answered") open.delete(event.question);
      // The user has heard of the question that it pauses for.
      const isKnown = event.type === "run.paused" && event.reason === "needs-human" && open.size > 0;
      if (notice === undefined || isKnown) return;
      if (isDesktop) screen?.write(noticeSequence(`Atomic: ${notice.text}`, (process.env["TMUX"] ?? "") !== ""));
      if (command !== undefined) started.push(start(notice, command));
    },
    async close() {
      const problems = await Promise.all(started);
      return problems.filter((problem) => problem !== undefined);
    },
  };
}

function noticeOf(run: string, workflow: string, event: RunEvent): Notice | undefined {
  const about = { run, workflow };
  const title = titleOf(workflow);
  if (event.type === "question.asked")
    return { ...about, occasion: "asks", text: `${title} asks: ${event.question.text}` };
  if (event.type === "run.finished" && event.outcome !== "cancelled")
    return { ...about, occasion: event.outcome, text: `${title} ${event.outcome}` };
  // A user who pressed Ctrl+C knows.
  if (event.type === "run.paused" && event.reason !== "interrupted")
    return { ...about, occasion: "paused", text: `${title} paused: ${event.message ?? event.reason}` };
  return undefined;
}
