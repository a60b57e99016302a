// One turn in the program: its messages become events, and it is decided when it is over and how it ended.
//
// A result is not the end: background sub-agents continue after it, report, and the program then answers again, with
// another result each time, some of them empty. The end is the state "idle" after the result of our prompt. Programs
// that report no states end with their result, once no sub-agent is left.

import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { TurnSink } from "../backend-session.ts";
import { turnFailure } from "../failures.ts";
import { addUsage, noUsage, totalTokens, type Usage } from "../usage.ts";
import { createClaudeEvents } from "./claude-events.ts";
import { resultFailure, stopFailure } from "./claude-failures.ts";
import { declinedText } from "../questions.ts";
import { answeredInput, questionItems, questionTool } from "./claude-questions.ts";
import type { ClaudeMessage, ResultMessage } from "./read-messages.ts";
import type { CanUseTool } from "./claude-control.ts";
import { remainder, type UsageMeter } from "./usage-meter.ts";

export interface ClaudeTurnOptions {
  readonly sink: TurnSink;
  /** The id of the prompt, which its result carries. */
  readonly promptId: string;
  readonly meter: UsageMeter;
  /** Asks the program what the session has used so far; absent: the end of the turn reports it. */
  readonly askTotals?: (() => Promise<Parameters<UsageMeter["sinceResult"]>[0]>) | undefined;
  readonly clock: Clock;
  /** Asks the program again to stop: the prompt was still waiting when it was asked first. */
  readonly interruptAgain: () => void;
}

export interface ClaudeTurn {
  readonly isOver: boolean;
  /** Whether the program said anything since it got the prompt. */
  readonly isHeard: boolean;
  /** `message` is undefined for one that is not known: a sign of life. */
  read(message: ClaudeMessage | undefined): void;
  /** The turn is to stop. */
  interrupt(): void;
  readonly canUseTool: CanUseTool;
}

export function createClaudeTurn(options: ClaudeTurnOptions): ClaudeTurn {
  const { sink, promptId, meter, clock, interruptAgain } = options;
  let isInterrupting = false;
  let isHeard = false;
  let tellsStates = false;
  let hasResult = false;
  let last: ResultMessage | undefined;
  let failureCategory: string | undefined;
  let failureText: string | undefined;
  let limitResetAt: number | undefined;
  let backgroundAgents = 0;
  let hadBackground = false;
  /** Of the current answer of the program; its result has the sum. */
  let reported = noUsage;
  let results = 0;
  /** `again`: another call was reported meanwhile. */
  let asking: "no" | "once" | "again" = "no";
  const events = createClaudeEvents({
    emit: sink.emit,
    touch: sink.touch,
    onUsage: (usage) => {
      reported = addUsage(reported, usage);
      askCost();
    },
    isInterrupting: () => isInterrupting,
    contextWindow: (model) => meter.contextWindow(model),
  });

  function note(message: ClaudeMessage): void {
    switch (message.type) {
      case "assistant":
        if (message.error === undefined || message.parent_tool_use_id !== null) return;
        failureCategory = message.error;
        failureText = message.message.content.map(({ text }) => text ?? "").join("");
        return;
      case "rate_limit_event":
        if (message.rate_limit_info.status === "rejected" && message.rate_limit_info.resetsAt !== undefined)
          limitResetAt = message.rate_limit_info.resetsAt * 1000;
        return;
      case "user":
        // The calls of sub-agents are not streamed: what their tools returned shows that one is over.
        if (message.parent_tool_use_id !== null) askCost();
        return;
      case "result":
        return noteResult(message);
      case "system":
        break;
      default:
        return;
    }
    switch (message.subtype) {
      case "init":
        if (isInterrupting && !hasResult) interruptAgain();
        return;
      case "background_tasks_changed":
        backgroundAgents = message.tasks.filter(
          ({ task_type, ambient }) => task_type !== "local_bash" && !ambient,
        ).length;
        hadBackground ||= backgroundAgents > 0;
        return;
      case "session_state_changed":
        tellsStates = true;
        if (message.state === "idle" && hasResult) end();
        return;
      default:
        return;
    }
  }

  /** The program states a cost only with a result; asked, it says what it has counted so far. */
  function askCost(): void {
    if (options.askTotals === undefined || sink.isOver) return;
    if (asking !== "no") return void (asking = "again");
    asking = "once";
    const result = results;
    options
      .askTotals()
      .then((totals) => {
        if (!sink.isOver && result === results) reportRest(meter.sinceResult(totals));
      })
      // It is busy or gone; the end of the turn reports it.
      .catch(() => {})
      .finally(() => {
        const isToAskAgain = asking === "again";
        asking = "no";
        if (isToAskAgain) askCost();
      });
  }

  function reportRest(sum: Usage): void {
    const usage = remainder(sum, reported);
    if (totalTokens(usage) === 0 && usage.costUsd === undefined) return;
    reported = addUsage(reported, usage);
    sink.emit({ type: "usage.reported", usage });
  }

  function noteResult(result: ResultMessage): void {
    // What was not reported call by call: sub-agents, summaries, and the price of all.
    reportRest(meter.read(result));
    reported = noUsage;
    results++;
    const ids = result.user_message_uuids ?? (result.user_message_uuid === undefined ? [] : [result.user_message_uuid]);
    if (ids.includes(promptId) || (ids.length === 0 && !tellsStates)) hasResult = true;
    // An empty one only says that there was nothing left to say.
    if (result.num_turns > 0 || result.is_error || last === undefined) last = result;
    if (hasResult && !tellsStates && backgroundAgents === 0) end();
  }

  function end(): void {
    // What was done before the program heard of it is done. Sub-agents in the background outlive a result, and are not.
    if (isInterrupting && (hadBackground || !isClean(last))) return sink.interrupted();
    if (last === undefined) return;
    // A limit may be reported as an ordinary answer: then only the message before it shows what it is.
    const isToldAsAnswer = failureText !== undefined && failureText === last.result;
    const isFailure = last.is_error || isToldAsAnswer || stopFailure(last) !== undefined;
    if (!isFailure) return sink.complete();
    if (last.terminal_reason === "aborted_streaming" || last.terminal_reason === "aborted_tools")
      return sink.interrupted();
    sink.fail(resultFailure(last, { now: clock.now(), category: failureCategory, limitResetAt }));
  }

  return {
    get isOver() {
      return sink.isOver;
    },
    get isHeard() {
      return isHeard;
    },
    read(message) {
      isHeard = true;
      if (message === undefined) return sink.touch();
      try {
        if (message.type === "stream_event") return events.stream(message);
        sink.touch();
        events.translate(message);
        note(message);
      } catch (thrown) {
        sink.fail(turnFailure("invalid_output", unreadableMessage(thrown)));
      }
    },
    interrupt() {
      isInterrupting = true;
    },
    async canUseTool(toolName, input, { agentID }) {
      const items = toolName === questionTool ? questionItems(input) : undefined;
      // Nothing else asks; where the user's own rules make a tool ask, the answer of this program is yes.
      if (items === undefined) return { behavior: "allow", updatedInput: input };
      const reply = await sink.ask({ agentId: events.agentOf(agentID), items });
      if (reply.type === "declined") return { behavior: "deny", message: declinedText(reply) };
      return { behavior: "allow", updatedInput: answeredInput(input, items, reply) };
    },
  };
}

/** The result of a turn that came to its own end. */
function isClean(result: ResultMessage | undefined): boolean {
  return result?.subtype === "success" && !result.is_error && result.terminal_reason === "completed";
}

export function unreadableMessage(thrown: unknown): string {
  return `Claude said something that can't be understood: ${messageOf(thrown)}`;
}
