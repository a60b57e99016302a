// A client that writes down what another one does (`--record`), and changes nothing else.

import type { Clock } from "../../lib/clock.ts";
import { toJson, type Json } from "../../lib/json.ts";
import { isTerminal, type AgentEvent } from "../events.ts";
import type { AgentClient, AgentSession, TurnOptions } from "../port.ts";
import { recordingHeader, type RecordedTurn } from "./recording-format.ts";

export interface RecordingOptions {
  readonly clock: Clock;
  /** Appends one line, without its end, to the recording. */
  readonly write: (line: string) => void;
  /** Applied to every text, so that secrets don't reach the file. */
  readonly redact?: ((text: string) => string) | undefined;
}

export function createRecordingClient(client: AgentClient, options: RecordingOptions): AgentClient {
  const writeJson = (value: unknown): void =>
    options.write(JSON.stringify(toJson(value, { source: "recording", path: "turn", redact: options.redact })));
  writeJson(recordingHeader(client.kind, client.label));

  return {
    kind: client.kind,
    label: client.label,
    get capabilities() {
      return client.capabilities;
    },
    async open(open) {
      const session = await client.open(open);
      return recordSession(session, open.agent?.name, options.clock, writeJson);
    },
    models: () => client.models(),
    check: () => client.check(),
    close: () => client.close(),
  };
}

function recordSession(
  session: AgentSession,
  agent: string | undefined,
  clock: Clock,
  write: (turn: unknown) => void,
): AgentSession {
  return {
    id: session.id,
    model: session.model,
    turn: (prompt, turn) => recordTurn(session.turn(prompt, turn), { agent, prompt, task: turn?.task }, clock, write),
    answer: (questionId, reply) => session.answer(questionId, reply),
    compact: (focus) => session.compact(focus),
    contextUsage: () => session.contextUsage(),
    usage: () => session.usage(),
    close: () => session.close(),
  };
}

interface TurnFacts {
  readonly agent: string | undefined;
  readonly prompt: string;
  readonly task: TurnOptions["task"];
}

function recordTurn(
  events: AsyncIterable<AgentEvent>,
  facts: TurnFacts,
  clock: Clock,
  write: (turn: Json | RecordedTurn) => void,
): AsyncIterable<AgentEvent> {
  return {
    async *[Symbol.asyncIterator]() {
      const startedAt = clock.now();
      const recorded: [number, AgentEvent][] = [];
      for await (const event of events) {
        keep(recorded, clock.now() - startedAt, event);
        if (isTerminal(event)) write({ ...facts, startedAt, events: recorded });
        yield event;
      }
    },
  };
}

/** Pieces of one message that follow each other are kept as one: a recording shows what was said, not every packet. */
function keep(recorded: [number, AgentEvent][], at: number, event: AgentEvent): void {
  const last = recorded.at(-1)?.[1];
  if (
    last !== undefined &&
    (event.type === "text.delta" || event.type === "reasoning.delta") &&
    last.type === event.type &&
    last.messageId === event.messageId
  ) {
    recorded[recorded.length - 1] = [at, { ...event, text: last.text + event.text }];
    return;
  }
  recorded.push([at, event]);
}
