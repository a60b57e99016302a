// One turn. It ends with a complete answer to its newest prompt, and an idle session after it. Both are
// needed: OpenCode says "idle" twice after an abort or an error, so that a late one arrives in the next turn; and a
// session that has answered may not be idle yet, when a new prompt would be lost.
// An idle session without an answer (a rejected prompt, an abort before the first word) is checked after a moment.
// Stopped while a sub-agent works, OpenCode ends the sub-agent first, and may begin another answer before it
// ends itself: such an answer completes nothing.

import type { Clock } from "../../lib/clock.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { TurnSink } from "../backend-session.ts";
import { failureOf, turnFailure, type TurnFailure } from "../failures.ts";
import type { FolderApi, Prompt } from "./folder-api.ts";
import { failureOfError, failureOfRetry, isAborted } from "./opencode-failure.ts";
import type { SessionEvent } from "./parse-event.ts";
import { createSessionReport } from "./session-report.ts";
import { answerCutOff, answerRefused } from "../unfinished-turns.ts";
import { createSubagents } from "./subagents.ts";
import { createTurnRequests } from "./turn-requests.ts";
import type { OpencodeAssistantMessage, OpencodeError, RetryStatus, Status } from "./wire.ts";

/** How long OpenCode may try again by itself before the turn fails with what it met. */
export interface RetryLimits {
  readonly attempts: number;
  /** A longer wait is the caller's to decide on. */
  readonly waitMs: number;
}

export interface OpencodeTurn {
  readonly isOver: boolean;
  begin(prompt: Prompt): Promise<void>;
  onEvent(event: SessionEvent): void;
  onNotice(message: string): void;
  /** Reads the state of the session and its sub-agents, and reports what was missed. */
  catchUp(): Promise<void>;
  interrupt(): Promise<void>;
}

export interface OpencodeTurnOptions {
  readonly api: FolderApi;
  readonly sessionId: string;
  readonly seenPrompts: Set<string>;
  readonly sink: TurnSink;
  readonly clock: Clock;
  readonly retries: RetryLimits;
  /** A sub-agent's session: its events belong to this turn. */
  readonly onSession: (sessionId: string) => void;
}

/** After rest without an answer: the answer's last news may be on its way. */
const lookAgainMs = 1000;
const lookAfterAbortMs = 200;
/** More messages than a connection can miss. */
const catchUpMessages = 100;

export function createOpencodeTurn(options: OpencodeTurnOptions): OpencodeTurn {
  const { api, sessionId, sink, clock } = options;
  const subagents = createSubagents({ sink, onSession: options.onSession, isStopping: () => isStopping });
  const own = createSessionReport({
    sink,
    agentId: undefined,
    seenPrompts: options.seenPrompts,
    onTool: (part) => subagents.onTool(part, undefined),
    isStopping: () => isStopping,
  });
  const requests = createTurnRequests({ api, sink });
  let accepted: Promise<void> | undefined;
  let isStopping = false;
  /** The answer that was being written when the turn was stopped. */
  let answerAtStop: string | undefined;
  let error: OpencodeError | undefined;
  let givenUp: TurnFailure | undefined;
  let looking: AbortController | undefined;

  const reportOf = (id: string): ReturnType<typeof createSessionReport> =>
    id === sessionId ? own : subagents.reportOf(id);
  const agentIdOf = (id: string): string | undefined => (id === sessionId ? undefined : subagents.agentIdOf(id));

  function onEvent(event: SessionEvent): void {
    if (sink.isOver) return;
    switch (event.type) {
      case "part.delta":
        return reportOf(event.sessionId).delta(event);
      case "part.updated":
        return reportOf(event.sessionId).part(event.part);
      case "message.updated":
        return reportOf(event.sessionId).message(event.message);
      case "session.status":
        return onStatus(event.sessionId, event.status);
      case "session.failed":
        if (event.sessionId !== sessionId) return;
        error = event.error;
        return lookIn(lookAgainMs);
      case "session.compacted":
        return sink.emit({ type: "context.compacted", agentId: agentIdOf(event.sessionId) });
      case "question.asked":
        return requests.question(event.question, agentIdOf(event.sessionId));
      case "permission.asked":
        return requests.permission(event.permission);
      case "session.created":
        return sink.touch();
    }
  }

  function onStatus(id: string, status: Status): void {
    if (status.type === "retry") return onRetry(id, status);
    if (id !== sessionId) return sink.touch();
    if (status.type === "busy") {
      looking?.abort();
      // The prompt was taken up only after the abort: once more.
      if (isStopping) void stop();
      return sink.touch();
    }
    if (!endByAnswer()) lookIn(isStopping ? lookAfterAbortMs : lookAgainMs);
  }

  function onRetry(id: string, status: RetryStatus): void {
    const now = clock.now();
    const delayMs = Math.max(0, status.next - now);
    const isLong = delayMs > options.retries.waitMs;
    const known = failureOfRetry(status, now);
    // OpenCode's own pauses are short: a long one is what the service asked for.
    const failure = isLong && known.kind === "rate_limited" ? { ...known, resetAt: status.next } : known;
    reportOf(id).restart();
    sink.emit({ type: "retry.scheduled", agentId: agentIdOf(id), attempt: status.attempt, delayMs, failure });
    if (isStopping || !(isLong || status.attempt > options.retries.attempts || !failure.retryable)) return;
    givenUp = failure;
    void stop();
  }

  /** Asks OpenCode to stop. A failure is ignored: the guard has a limit. */
  async function stop(): Promise<void> {
    if (!isStopping) answerAtStop = own.answer?.id;
    isStopping = true;
    await accepted?.catch(() => {});
    await api.abort(sessionId).catch(() => {});
    lookIn(lookAfterAbortMs);
  }

  function lookIn(ms: number): void {
    looking?.abort();
    const again = new AbortController();
    looking = again;
    clock.sleep(ms, again.signal).then(look, () => {});
  }

  async function look(): Promise<void> {
    if (sink.isOver) return;
    try {
      // Busy again: more events follow.
      if (!(await api.isIdle(sessionId))) return;
      await catchUp();
    } catch (thrown) {
      if (!AtomicError.is(thrown, "AGENT_TURN_FAILED")) {
        const problem = `OpenCode said something that can't be understood: ${messageOf(thrown)}`;
        return sink.fail(turnFailure("invalid_output", problem));
      }
      const failure = failureOf(thrown);
      // The server does not answer: its end, or the limit on silence, ends the turn.
      if (failure.kind === "crashed" || failure.kind === "timeout") return;
      return sink.fail(failure);
    }
    if (!sink.isOver && !endByAnswer()) endWithoutAnswer();
  }

  function endByAnswer(): boolean {
    const { answer } = own;
    if (answer === undefined || !isFinal(answer)) return false;
    if (givenUp !== undefined) sink.fail(givenUp);
    else if (answer.error !== undefined) endWithError(answer.error);
    else if (isStopping && answer.id !== answerAtStop) sink.interrupted();
    else if (answer.finish === "length") sink.fail(answerCutOff());
    else if (answer.finish === "content-filter") sink.fail(answerRefused());
    else sink.complete();
    return true;
  }

  function endWithoutAnswer(): void {
    if (givenUp !== undefined) sink.fail(givenUp);
    else if (isStopping) sink.interrupted();
    else if (error !== undefined) endWithError(error);
    // It stopped by itself between two steps: a declined question, or a step limit.
    else if (own.answer?.isCompleted === true) sink.complete();
    else sink.fail(turnFailure("crashed", "OpenCode stopped without an answer. Run the turn again."));
  }

  function endWithError(reason: OpencodeError): void {
    if (isAborted(reason)) sink.interrupted();
    else sink.fail(failureOfError(reason, clock.now()));
  }

  async function catchUp(): Promise<void> {
    await read(sessionId);
    const done = new Set<string>();
    // Reading one may bring others to light.
    for (let next = unread(); next !== undefined; next = unread()) {
      done.add(next);
      await read(next);
    }
    const isOurs = (request: { readonly sessionID: string }): boolean =>
      request.sessionID === sessionId || done.has(request.sessionID);
    for (const permission of (await api.permissions()).filter(isOurs)) requests.permission(permission);
    for (const question of (await api.questions()).filter(isOurs))
      requests.question(question, agentIdOf(question.sessionID));

    function unread(): string | undefined {
      return subagents.sessionIds.find((id) => !done.has(id));
    }
  }

  async function read(id: string): Promise<void> {
    const report = reportOf(id);
    const transcript = await api.transcript(id, catchUpMessages);
    const known = transcript.findIndex(({ info }) => report.hasPrompt(info.id));
    // The earlier messages of a continued sub-agent are not part of this turn; the agent's own are known by its prompts.
    const from =
      id === sessionId ? 0 : known !== -1 ? known : transcript.findLastIndex(({ info }) => info.role === "user");
    for (const { info, parts } of transcript.slice(Math.max(0, from))) {
      if (sink.isOver) return;
      report.message(info);
      for (const part of parts) report.part(part);
      // A message is reported as finished after its parts.
      report.message(info);
    }
  }

  return {
    get isOver() {
      return sink.isOver;
    },
    begin: (prompt) => (accepted = api.prompt(sessionId, prompt)),
    onEvent,
    onNotice: (message) => sink.emit({ type: "notice.raised", level: "warning", message }),
    catchUp,
    interrupt: stop,
  };
}

/** Nothing follows it: it has an error, or was finished for another reason than a call of tools. */
function isFinal({ isCompleted, error, finish, isSummary }: OpencodeAssistantMessage): boolean {
  if (!isCompleted) return false;
  return error !== undefined || (!isSummary && finish !== undefined && finish !== "tool-calls");
}
