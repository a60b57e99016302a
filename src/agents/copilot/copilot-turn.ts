// One turn in the program: its events become the port's, and it is decided when it is over and how it ended.
//
// The program answers with the id of a prompt only after it has begun to work on it, with text on the way already.
// Until then the prompt is known by its text: what follows it is shown at once, but does not end the turn before the
// id is known.
//
// The end is `session.idle` after our prompt was taken up. It comes after background sub-agents, which is right, but not
// while a command runs in the background, which may be forever (a server that was started): then `assistant.idle` and
// the program's report that nothing else runs are the end.

import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { TurnSink } from "../backend-session.ts";
import { turnFailure, type TurnFailure } from "../failures.ts";
import { createCopilotEvents } from "./copilot-events.ts";
import { errorFailure, finishFailure } from "./copilot-failures.ts";
import { textIn } from "../fields.ts";
import { readCopilotEvent, type CopilotEvent } from "./read-event.ts";
import type { WireEvent } from "./copilot-wire.ts";

export interface CopilotTurnOptions {
  readonly sink: TurnSink;
  readonly prompt: string;
  readonly clock: Clock;
  /** Whether nothing but commands in the background is left in the session. */
  readonly isOnlyBackgroundLeft: () => Promise<boolean>;
  /** Asks the program again to stop: the prompt was still waiting when it was asked first. */
  readonly abortAgain: () => void;
}

export interface CopilotTurn {
  readonly sink: TurnSink;
  read(event: WireEvent): void;
  /** The prompt was handed over under this id. */
  sent(messageId: string): void;
  /** The turn is to stop. */
  interrupt(): void;
}

/** Comes with every piece of text and says only how long the answer is by now. */
const bytesCounted = "assistant.streaming_delta";
/** What may begin or end a turn, or make it a failure. */
const deciding: ReadonlySet<string> = new Set(["user.message", "session.idle", "assistant.idle", "session.error"]);
/** Where nothing runs in the background, `session.idle` is there by then, and nothing has to be asked. */
const idleGraceMs = 50;

export function createCopilotTurn(options: CopilotTurnOptions): CopilotTurn {
  const { sink, clock } = options;
  const events = createCopilotEvents(sink.emit);
  /** What has to wait until the id of the prompt is known. */
  let held: WireEvent[] = [];
  let promptId: string | undefined;
  /** The id of the message that looks like the prompt. */
  let likelyId: string | undefined;
  let isTakenUp = false;
  let isInterrupting = false;
  let failure: TurnFailure | undefined;
  /** The last answer was refused or cut off, and the program took it for an answer. */
  let unfinished: TurnFailure | undefined;
  /** Counts the loops of the agent: an answer about an earlier one is stale. */
  let loops = 0;

  function handle(event: CopilotEvent): void {
    sink.touch();
    if (isTakenUp) events.translate(event);
    // The rest is of the agent itself, not of a sub-agent.
    if (event.agentId !== undefined) return;
    switch (event.type) {
      case "user.message":
        if (textIn(event.data, "messageId") !== (promptId ?? likelyId)) return;
        isTakenUp = true;
        if (isInterrupting) options.abortAgain();
        return;
      case "assistant.turn_start":
        loops++;
        // It got over it: another model, another try.
        failure = unfinished = undefined;
        return;
      case "assistant.usage":
        unfinished = finishFailure(textIn(event.data, "finishReason"));
        return;
      case "session.error":
        failure = errorFailure(event.data, clock.now());
        return;
      case "session.idle":
        return end(event.data["aborted"] === true);
      case "assistant.idle":
        void endWhenIdle(event.data["aborted"] === true, loops);
        return;
      default:
        return;
    }
  }

  async function endWhenIdle(isAborted: boolean, loop: number): Promise<void> {
    await clock.sleep(idleGraceMs, sink.signal).catch(() => {});
    if (sink.isOver) return;
    // If this is unknown, the turn has not ended: `session.idle` or the turn's limits decide.
    const isLast = await options.isOnlyBackgroundLeft().catch(() => false);
    if (isLast && loop === loops) end(isAborted);
  }

  /** An idle of something before our prompt ends nothing, unless the program refused the prompt altogether. */
  function end(isAborted: boolean): void {
    if (!isTakenUp && failure === undefined) return;
    if (isAborted) return sink.interrupted();
    const ended = failure ?? unfinished;
    if (ended !== undefined) return sink.fail(ended);
    sink.complete();
  }

  function read(event: WireEvent): void {
    if (sink.isOver) return;
    if (event.type === bytesCounted) return sink.touch();
    if (promptId === undefined && hasToWait(event)) return void held.push(event);
    handleSafely(event);
  }

  function hasToWait(event: WireEvent): boolean {
    if (likelyId !== undefined) return held.length > 0 || deciding.has(event.type);
    const { type, agentId, data } = readCopilotEvent(event);
    if (type !== "user.message" || agentId !== undefined || textIn(data, "content") !== options.prompt) return true;
    likelyId = textIn(data, "messageId");
    if (likelyId !== undefined) release();
    return likelyId === undefined;
  }

  function release(): void {
    const waiting = held;
    held = [];
    waiting.forEach(handleSafely);
  }

  function handleSafely(event: WireEvent): void {
    if (sink.isOver) return;
    try {
      handle(readCopilotEvent(event));
    } catch (thrown) {
      sink.fail(turnFailure("invalid_output", `Copilot said something that can't be understood: ${messageOf(thrown)}`));
    }
  }

  return {
    sink,
    read,
    sent(messageId) {
      promptId = messageId;
      // It was another one with the same text.
      if (likelyId !== messageId) isTakenUp = false;
      release();
    },
    interrupt() {
      isInterrupting = true;
    },
  };
}
