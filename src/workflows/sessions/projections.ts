// Files in the session folder that people and scripts read: session.json, tasks.json, progress.txt, logs. All are
// written from the view, a few times a second at most and at every stop; none is ever read back as truth.

import { appendFileSync } from "node:fs";
import type { Clock } from "../../lib/clock.ts";
import { writeFileAtomically } from "../../lib/atomic-file.ts";
import type { Json } from "../../lib/json.ts";
import { safeJson } from "../../lib/safe-json.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { StoredEvent } from "../../journal/port.ts";
import { serializeTasks } from "../../tasks/task-file.ts";
import type { SessionFolder } from "./session-folder.ts";
import { sessionJson } from "./session-json.ts";
import type { SessionView } from "./session-view.ts";
import { progressText } from "./progress-text.ts";

const shortestPauseMs = 400;

/** A run that is busy spends at most about a twelfth of its CPU on writing; whoever looks waits at most so long. */
const cpuFactor = 12;
const longestPauseMs = 3000;

const logged: ReadonlySet<string> = new Set(["agent.turn-started", "agent.turn-finished"]);

export class SessionProjections {
  readonly #folder: SessionFolder;
  readonly #view: SessionView;
  readonly #clock: Clock;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wroteAt = 0;
  /** The run's CPU at which the next write is paid for. */
  #paidAtCpuMs = 0;
  #calls: string[] = [];
  #errors: string[] = [];

  constructor(folder: SessionFolder, view: SessionView, clock: Clock) {
    this.#folder = folder;
    this.#view = view;
    this.#clock = clock;
  }

  /** The view has taken the event in already. */
  onEvent(event: StoredEvent): void {
    if (logged.has(event.type)) this.#calls.push(`${safeJson(event)}\n`);
    const problem = problemOf(event);
    if (problem !== undefined) this.#errors.push(`[${new Date(event.at).toISOString()}] ${problem}\n`);
    if (event.type === "run.paused" || event.type === "run.finished") this.write();
    else this.#writeSoon();
  }

  #writeSoon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isDue()) this.write();
      else this.#writeSoon();
    }, shortestPauseMs);
    this.#timer.unref();
  }

  #isDue(): boolean {
    return cpuMs() >= this.#paidAtCpuMs || this.#clock.now() - this.#wroteAt >= longestPauseMs;
  }

  #taskFile(): string {
    const { tasks, createdAt, updatedAt } = this.#view;
    const metadata = { createdAt: new Date(createdAt).toISOString(), source: "session" };
    return serializeTasks({ tasks: [...tasks.values()], metadata }, new Date(updatedAt));
  }

  /** A projection that can't be written stops nothing: the journal is the truth, and says so itself when it can't be. */
  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const began = cpuMs();
    const { session, tasks, progress, agentCalls, errors } = this.#folder;
    try {
      writeFileAtomically(session, `${safeJson(sessionJson(this.#view, this.#folder.dir), 2)}\n`);
      writeFileAtomically(progress, progressText(this.#view));
      if (this.#view.tasks.size > 0) writeFileAtomically(tasks, this.#taskFile());
      if (this.#calls.length > 0) appendFileSync(agentCalls, this.#calls.join(""), { mode: 0o600 });
      if (this.#errors.length > 0) appendFileSync(errors, this.#errors.join(""), { mode: 0o600 });
      this.#calls = [];
      this.#errors = [];
    } catch {
      // Kept for the next time.
    }
    const now = cpuMs();
    this.#paidAtCpuMs = now + (now - began) * cpuFactor;
    this.#wroteAt = this.#clock.now();
  }
}

/** What this process has used so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function problemOf(event: StoredEvent): string | undefined {
  const message = (field: Json | undefined): string => safeLine((field as { message: string }).message, 2000);
  if (event.type === "node.failed") return `${safeLine(event["key"] as string)}: ${message(event["error"])}`;
  if (event.type === "agent.turn-finished" && event["outcome"] === "failed") {
    return `turn of ${safeLine(event["agent"] as string)}: ${message(event["failure"])}`;
  }
  if (event.type === "run.finished" && event["outcome"] === "failed") return `run failed: ${message(event["error"])}`;
  return undefined;
}
