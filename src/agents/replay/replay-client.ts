// Plays a recording back: the events of a real backend, without the backend. It touches no file and runs no command,
// and gives questions the recorded answers, because what follows depends on them.

import { basename } from "node:path";
import { counted } from "../../lib/counted.ts";
import { steadyClock, type Clock } from "../../lib/clock.ts";
import { createBackendClient } from "../backend-client.ts";
import { capabilitiesWithout } from "../capabilities.ts";
import type { BackendEvent, BackendSession, TurnSink } from "../backend-session.ts";
import type { AgentEvent } from "../events.ts";
import { turnFailure, type TurnFailure } from "../failures.ts";
import type { AgentClient, OpenOptions } from "../port.ts";
import { declined, type QuestionReply } from "../questions.ts";
import { describeRequest, sameAgent, type TurnRequest } from "../turn-request.ts";
import { terminalOf, type RecordedTurn, type Recording } from "./recording-format.ts";

export interface ReplayClientOptions {
  readonly recording: Recording;
  /** Where it came from, for the label and errors. */
  readonly source?: string | undefined;
  /** `recorded` keeps the pauses as they were; `fast`, the default, leaves them out. */
  readonly pace?: "recorded" | "fast" | undefined;
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
}

export const replayCapabilities = capabilitiesWithout({
  effects: "it plays events back and touches nothing",
  questions: "questions get the answers that were recorded",
  freeTextAnswers: "questions get the answers that were recorded",
  declineQuestions: "questions get the answers that were recorded",
  memory: "it answers from the recording alone",
  inProcessTools: "it calls no tools",
  toolLimits: "it calls no tools",
  shellRules: "it calls no tools",
  toolRules: "it calls no tools",
  subagentDefinitions: "it starts nothing",
  contextUsage: "a recording has no context",
  compact: "a recording has no context",
  toolServers: "it calls no tools",
  projectTrust: "it reads no settings at all",
});

/** A recording holds whole texts; they are said in pieces again. */
const pieceChars = 24;

export function createReplayClient(options: ReplayClientOptions): AgentClient {
  const { clock = steadyClock, newId = () => crypto.randomUUID() } = options;
  const { recording, source = "a recording" } = options;
  const unplayed = new Set(recording.turns);

  /**
   * The same turn if it is there; else the next of the same agent and task (prompts may name folders and ids); else
   * one of that prompt.
   */
  function take(request: TurnRequest): RecordedTurn | undefined {
    const sameAgent = [...unplayed].filter((turn) => isSame(turn, request));
    const samePrompt = (turn: RecordedTurn): boolean => turn.prompt === request.prompt;
    const found = sameAgent.find(samePrompt) ?? sameAgent[0] ?? [...unplayed].find(samePrompt);
    if (found !== undefined) unplayed.delete(found);
    return found;
  }

  return createBackendClient(
    {
      kind: "replay",
      label: `replay of ${recording.agent} (no model; plays ${basename(source)})`,
      capabilities: replayCapabilities,
      openSession: async (open) =>
        createReplaySession({ open, take, clock, newId, source, isPaced: options.pace === "recorded" }),
      async models() {
        const served = recording.turns
          .map((turn) => terminalOf(turn).modelServed)
          .filter((model) => model !== undefined);
        return [...new Set(["recorded", ...served])].map((id) => ({ id, name: `${id} (recorded)` }));
      },
      check: async () => ({
        kind: "replay",
        isUsable: true,
        login: "not-needed",
        notes: [`Plays ${source}: ${counted(recording.turns.length, "turn")} of ${recording.agent}.`],
      }),
      shutDown: async () => {},
    },
    { clock, newId },
  );
}

function isSame(turn: RecordedTurn, request: TurnRequest): boolean {
  const isAgent = turn.agent === undefined ? request.agent === undefined : sameAgent(turn.agent, request.agent);
  return isAgent && turn.task?.id === request.task?.id;
}

interface ScriptedSessionOptions {
  readonly open: OpenOptions;
  readonly take: (request: TurnRequest) => RecordedTurn | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Where it came from, for the label and errors. */
  readonly source?: string | undefined;
  readonly isPaced: boolean;
}

function createReplaySession({ open, take, clock, newId, source, isPaced }: ScriptedSessionOptions): BackendSession {
  async function play(turn: RecordedTurn, sink: TurnSink): Promise<void> {
    const startedAt = clock.now();
    for (const [at, event] of turn.events) {
      const waitMs = isPaced ? startedAt + at - clock.now() : 0;
      if (waitMs > 0) await clock.sleep(waitMs, sink.signal).catch(() => {});
      if (sink.signal.aborted) return sink.interrupted();
      await report(event, turn, sink, clock.now() - turn.startedAt - at);
    }
  }

  return {
    id: open.resume ?? newId(),
    model: open.model,
    isSameModel: (asked, served) => asked === served,
    start(prompt, sink, turn) {
      const request = { agent: open.agent?.name, task: turn.task, prompt };
      const recorded = take(request);
      if (recorded !== undefined) return play(recorded, sink);
      return sink.fail(
        turnFailure("refused", `The recording ${source} has no turn left for ${describeRequest(request)}.`),
      );
    },
    interrupt: () => {},
    abandon: () => {},
    compact: async () => ({}),
    contextUsage: async () => ({ usedTokens: 0 }),
    close: async () => {},
  };
}

async function report(event: AgentEvent, turn: RecordedTurn, sink: TurnSink, shiftMs: number): Promise<void> {
  switch (event.type) {
    case "turn.completed":
      return sink.complete({ text: event.text, usage: event.usage });
    case "turn.failed":
      return sink.fail(shifted(event.failure, shiftMs), { text: event.text, usage: event.usage });
    case "turn.interrupted":
      return sink.interrupted({ text: event.text, usage: event.usage });
    case "question.asked":
      return void (await sink.ask({ agentId: event.agentId, items: event.question.items }, () =>
        recordedReply(turn, event.question.id),
      ));
    case "text.delta":
    case "reasoning.delta":
      for (let at = 0; at < event.text.length; at += pieceChars) {
        const { type, agentId, messageId } = event;
        sink.emit({ type, agentId, messageId, text: event.text.slice(at, at + pieceChars) });
      }
      return undefined;
    // The guard says these itself.
    case "turn.started":
    case "question.answered":
    case "question.declined":
    case "model.substituted":
      return undefined;
    default: {
      const { sessionId: _, turnId: __, ...bare } = event;
      return sink.emit(bare satisfies BackendEvent);
    }
  }
}

function recordedReply(turn: RecordedTurn, questionId: string): QuestionReply {
  for (const [, event] of turn.events) {
    if (event.type === "question.answered" && event.questionId === questionId)
      return { type: "answered", answers: event.answers };
    if (event.type === "question.declined" && event.questionId === questionId)
      return { type: "declined", reason: event.reason };
  }
  return declined;
}

/** A limit that ended an hour after the recorded turn ends an hour after this one. */
function shifted(failure: TurnFailure, shiftMs: number): TurnFailure {
  return failure.resetAt === undefined ? failure : { ...failure, resetAt: failure.resetAt + shiftMs };
}
