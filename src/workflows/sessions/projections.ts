// Files in the session folder that people and scripts read: session.json, tasks.json, progress.txt, checkpoints, logs.
// All are written from the view, a few times a second at most and at every stop; none is ever read back as truth.

import { appendFileSync } from "node:fs";
import type { AgentProgress } from "../../agents/agent-progress.ts";
import { clip } from "../../agents/clip.ts";
import { isTerminal } from "../../agents/events.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSystemError, writeFileAtomically } from "../../lib/atomic-file.ts";
import { messageOf } from "../../lib/errors.ts";
import { cacheTexts } from "../../lib/cache-texts.ts";
import { safeJson } from "../../lib/safe-json.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { RunEvent, RunEventOf } from "../../events/run-event.ts";
import { serializeTasks, taskText } from "../../tasks/task-file.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import type { StepResult } from "../graph/model/step-result.ts";
import { type Checkpoint, writeCheckpoint } from "./checkpoint-files.ts";
import type { SessionFolder } from "./session-folder.ts";
import { featureText, idText, sessionText } from "./session-json.ts";
import type { SessionView } from "./session-view.ts";
import { historyLine, progressText, taskLine } from "./progress-text.ts";

const minPauseMs = 400;

/** A busy run spends at most about a twelfth of its CPU on writing, which bounds how late the files are. */
const cpuFactor = 12;
const maxPauseMs = 3000;

/** Longer prompts and answers are clipped in the middle. */
const maxCallChars = 65_536;

export class SessionProjections {
  readonly #folder: SessionFolder;
  readonly #readView: () => SessionView;
  readonly #clock: Clock;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wroteAt = 0;
  /** The run's CPU at which the next write is paid for. */
  #paidAtCpuMs = 0;
  readonly #calls: string[] = [];
  /** By turn, until its end is logged: members of its lines. Both lines have the prompt, which is made text once. */
  readonly #said = new Map<string, { readonly prompt: string | undefined; readonly answer?: string }>();
  readonly #redact: ((text: string) => string) | undefined;
  readonly #errors: string[] = [];
  #checkpoint: Checkpoint | undefined;
  readonly #faults = new Set<string>();
  /** Something came after the last write, or the disk refused a part of it. */
  #isBehind = true;
  /** Of a thousand tasks a few change between two writes. */
  readonly #texts = {
    task: cacheTexts(taskText),
    session: {
      // When a task was completed never changes without the task.
      feature: cacheTexts((task: WorkflowTask) => featureText(task, this.#readView().completedAt.get(task.id))),
      id: cacheTexts(idText),
    },
    line: { task: cacheTexts(taskLine), history: cacheTexts(historyLine) },
  };

  constructor(folder: SessionFolder, readView: () => SessionView, clock: Clock, redact?: (text: string) => string) {
    this.#redact = redact;
    this.#folder = folder;
    this.#readView = readView;
    this.#clock = clock;
  }

  /** The view has taken the event in already. */
  onEvent(event: RunEvent): void {
    this.#isBehind = true;
    if (event.type === "agent.turn-started" || event.type === "agent.turn-finished") this.#logCall(event);
    const problem = problemOf(event);
    if (problem !== undefined) this.#errors.push(`[${new Date(event.at).toISOString()}] ${problem}\n`);
    if (event.type === "run.paused" || event.type === "run.finished") this.write();
    else this.#writeSoon();
  }

  /** A node is done. Of several between two writes, the last one is kept. */
  onStep({ nodeId, key, visit, state, isReplayed }: StepResult<Record<string, unknown>>): void {
    if (isReplayed) return;
    this.#isBehind = true;
    this.#checkpoint = { nodeId, key, visit, state, at: this.#clock.now() };
    this.#writeSoon();
  }

  /** What a turn was asked, and what it answered: its record has neither. */
  onAgent({ place, event }: AgentProgress): void {
    if (event.type === "turn.started") this.#said.set(event.turnId, { prompt: this.#member("prompt", place.prompt) });
    if (isTerminal(event)) {
      const { prompt } = this.#said.get(event.turnId) ?? {};
      this.#said.set(event.turnId, { prompt, answer: this.#member("answer", event.text) });
    }
  }

  #logCall(event: RunEventOf<"agent.turn-started" | "agent.turn-finished">): void {
    const { turn = "" } = event;
    const { prompt = "", answer = "" } = this.#said.get(turn) ?? {};
    const isOver = event.type === "agent.turn-finished";
    if (isOver) this.#said.delete(turn);
    this.#calls.push(`${safeJson(event).slice(0, -1)}${prompt}${isOver ? answer : ""}}\n`);
  }

  /** A member of the line of a call, after others. */
  #member(name: string, text: string): string {
    const clipped = text === "" ? text : clip(text, maxCallChars);
    return `,"${name}":${safeJson(this.#redact?.(clipped) ?? clipped)}`;
  }

  #writeSoon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isDue()) this.write();
      else this.#writeSoon();
    }, minPauseMs);
    this.#timer.unref();
  }

  #isDue(): boolean {
    return cpuMs() >= this.#paidAtCpuMs || this.#clock.now() - this.#wroteAt >= maxPauseMs;
  }

  /**
   * What the disk refuses is tried again next time. Anything else is a fault of ours, or an odd task: it is on record
   * once.
   */
  #try(body: () => void): void {
    try {
      body();
    } catch (thrown) {
      this.#isBehind = true;
      if (isSystemError(thrown)) return;
      const problem = messageOf(thrown);
      if (!this.#faults.has(problem))
        this.#errors.push(`a file of the session can't be written: ${safeLine(problem, 2000)}\n`);
      this.#faults.add(problem);
    }
  }

  #taskFile({ tasks, createdAt, updatedAt }: SessionView): string {
    const metadata = { createdAt: new Date(createdAt).toISOString(), source: "session" };
    return serializeTasks({ tasks: [...tasks.values()], metadata }, new Date(updatedAt), this.#texts.task);
  }

  /** When nothing more will come: writes what the last write does not have. */
  writeRest(): void {
    if (this.#isBehind) this.write();
  }

  /**
   * A projection that can't be written stops nothing: the journal is the truth, and says so itself when it can't be.
   */
  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isBehind = false;
    const began = cpuMs();
    const view = this.#readView();
    const { session, tasks, progress, checkpoints, agentCalls, errors } = this.#folder;
    const append = (file: string, lines: string[]): void => {
      if (lines.length > 0) appendFileSync(file, lines.join(""), { mode: 0o600 });
      lines.length = 0;
    };
    this.#try(() => writeFileAtomically(session, sessionText(view, this.#folder.dir, this.#texts.session)));
    this.#try(() => writeFileAtomically(progress, progressText(view, this.#texts.line)));
    if (view.tasks.size > 0) this.#try(() => writeFileAtomically(tasks, this.#taskFile(view)));
    this.#try(() => {
      if (this.#checkpoint !== undefined) writeCheckpoint(checkpoints, this.#checkpoint);
      this.#checkpoint = undefined;
    });
    this.#try(() => append(agentCalls, this.#calls));
    this.#try(() => append(errors, this.#errors));
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

function problemOf(event: RunEvent): string | undefined {
  if (event.type === "node.failed") return `${safeLine(event.key)}: ${shown(event.error.message)}`;
  if (event.type === "agent.turn-finished" && event.outcome === "failed")
    return `turn of ${safeLine(event.agent)}: ${shown(event.failure?.message)}`;
  if (event.type === "run.finished" && event.outcome === "failed") return `run failed: ${shown(event.error?.message)}`;
  return undefined;
}

function shown(message: string | undefined): string {
  return safeLine(message ?? "failed", 2000);
}
