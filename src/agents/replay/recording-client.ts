// A client that writes down what another one does (`--record`), and changes nothing else.

import { steadyClock, type Clock } from "../../lib/clock.ts";
import { toJson, type Json } from "../../lib/json.ts";
import type { StreamRedactor } from "../../lib/redact.ts";
import { isTerminal, type AgentEvent } from "../events.ts";
import type { AgentClient, AgentSession, TurnOptions } from "../port.ts";
import { recordingHeader, type RecordedTurn } from "./recording-format.ts";

export interface RecordingOptions {
  readonly clock?: Clock | undefined;
  /** Appends one line, without its end, to the recording. */
  readonly write: (line: string) => void;
  /** Applied to every text, so that secrets don't reach the file. */
  readonly redact?: ((text: string) => string) | undefined;
  /** For texts that come in pieces, in which a secret may be cut in two. */
  readonly createStreamRedactor?: (() => StreamRedactor) | undefined;
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
      return recordSession(session, open.agent?.name, options, writeJson);
    },
    models: () => client.models(),
    check: () => client.check(),
    close: () => client.close(),
  };
}

function recordSession(
  session: AgentSession,
  agent: string | undefined,
  options: RecordingOptions,
  write: (turn: unknown) => void,
): AgentSession {
  return {
    id: session.id,
    model: session.model,
    turn: (prompt, turn) => recordTurn(session.turn(prompt, turn), { agent, prompt, task: turn?.task }, options, write),
    answer: (questionId, reply) => session.answer(questionId, reply),
    compact: (focus) => session.compact(focus),
    contextUsage: () => session.contextUsage(),
    servers: () => session.servers(),
    switchServer: (name, isOn) => session.switchServer(name, isOn),
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
  { clock = steadyClock, createStreamRedactor }: RecordingOptions,
  write: (turn: Json | RecordedTurn) => void,
): AsyncIterable<AgentEvent> {
  return {
    async *[Symbol.asyncIterator]() {
      const startedAt = clock.now();
      const recorded: [number, AgentEvent][] = [];
      for await (const event of events) {
        keep(recorded, clock.now() - startedAt, event);
        if (isTerminal(event)) write({ ...facts, startedAt, events: maskPieces(recorded, createStreamRedactor) });
        yield event;
      }
    },
  };
}

/** A message's pieces are one text, whatever came between them. */
function maskPieces(
  recorded: readonly [number, AgentEvent][],
  createStream: (() => StreamRedactor) | undefined,
): readonly [number, AgentEvent][] {
  if (createStream === undefined) return recorded;
  const streams = new Map<string, StreamRedactor>();
  const lastOf = new Map<string, number>();
  const keys = recorded.map(([, event]) => pieceOf(event)?.key);
  keys.forEach((key, i) => key !== undefined && lastOf.set(key, i));
  return recorded.map(([at, event], i) => {
    const piece = pieceOf(event);
    if (piece === undefined) return [at, event];
    const stream = streams.get(piece.key) ?? createStream();
    streams.set(piece.key, stream);
    const shown = stream.push(piece.text);
    return [at, piece.with(lastOf.get(piece.key) === i ? shown + stream.end() : shown)];
  });
}

interface Piece {
  /** What it is a piece of. */
  readonly key: string;
  readonly text: string;
  with(text: string): AgentEvent;
}

function pieceOf(event: AgentEvent): Piece | undefined {
  if (event.type === "text.delta" || event.type === "reasoning.delta")
    return { key: `${event.type} ${event.messageId}`, text: event.text, with: (text) => ({ ...event, text }) };
  if (event.type === "tool.progressed")
    return { key: `tool ${event.toolCallId}`, text: event.output, with: (output) => ({ ...event, output }) };
  return undefined;
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
