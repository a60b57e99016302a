// Masks progress on its way to a front end: pieces of text in which a secret may be split. Each message and each tool's
// output is a separate stream; what is held back is released before its next event.

import type { AgentEvent } from "../agents/events.ts";
import type { StreamRedactor } from "../lib/redact.ts";
import type { AgentNote, ProgressNote } from "./progress-note.ts";

type Listener = (note: ProgressNote) => void;

interface OpenStream {
  readonly redactor: StreamRedactor;
  readonly rest: (text: string) => AgentNote;
}

/** What a piece is part of, its text, and the same event with another text. Undefined for whole events. */
function pieceOf(event: AgentEvent): { id: string; text: string; withText: (text: string) => AgentEvent } | undefined {
  switch (event.type) {
    case "text.delta":
    case "reasoning.delta":
      return { id: event.messageId, text: event.text, withText: (text) => ({ ...event, text }) };
    case "tool.progressed":
      return { id: event.toolCallId, text: event.output, withText: (output) => ({ ...event, output }) };
    default:
      return undefined;
  }
}

/** Whole texts are masked here; pieces by `maskProgress`, which sees what comes before and after. */
export function maskEvent<E extends AgentEvent>(event: E, redact: (text: string) => string): E {
  if (pieceOf(event) !== undefined) return event;
  return masked(event, redact) as E;
}

function masked(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, redact));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, masked(item, redact)]));
}

export function maskProgress(next: Listener, createStream: () => StreamRedactor): Listener {
  const open = new Map<string, OpenStream>();

  function flush(key: string): void {
    for (const [name, { redactor, rest }] of open) {
      if (!name.startsWith(`${key}\n`)) continue;
      open.delete(name);
      const text = redactor.end();
      if (text !== "") next(rest(text));
    }
  }

  return (note) => {
    const piece = note.from === "agent" ? pieceOf(note.data) : undefined;
    if (note.from !== "agent" || piece === undefined) {
      flush(note.key ?? "");
      return next(note);
    }
    const name = [note.key ?? "", note.type, JSON.stringify(piece.id)].join("\n");
    const withText = (shown: string): AgentNote => ({ ...note, data: piece.withText(shown) });
    const stream = open.get(name) ?? { redactor: createStream(), rest: withText };
    open.set(name, { redactor: stream.redactor, rest: withText });
    const shown = stream.redactor.push(piece.text);
    if (shown !== "") next(withText(shown));
  };
}
