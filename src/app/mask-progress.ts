// Progress on its way to a front end: pieces of text in which a secret may be cut in two. Each message and each tool's
// output is a stream of its own; what is held back comes out before anything else is said of it.

import type { Json } from "../lib/json.ts";
import type { StreamRedactor } from "../lib/redact.ts";
import type { ProgressNote } from "./progress-note.ts";

type Listener = (note: ProgressNote) => void;

/** Where the text of a piece is, and what it is a piece of. */
const pieces: Readonly<Record<string, { readonly text: string; readonly id: string }>> = {
  "text.delta": { text: "text", id: "messageId" },
  "reasoning.delta": { text: "text", id: "messageId" },
  "tool.progressed": { text: "output", id: "toolCallId" },
};

interface OpenStream {
  readonly redactor: StreamRedactor;
  readonly rest: (text: string) => ProgressNote;
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
    const { data, type, key } = note;
    const piece = pieces[type];
    if (piece === undefined || typeof data !== "object" || data === null || Array.isArray(data)) {
      flush(key);
      return next(note);
    }
    const fields = data as { readonly [name: string]: Json };
    const name = [key, type, JSON.stringify(fields[piece.id] ?? null)].join("\n");
    const text = fields[piece.text];
    if (typeof text !== "string") return next(note);
    const withText = (shown: string): ProgressNote => ({ ...note, data: { ...fields, [piece.text]: shown } });
    const stream = open.get(name) ?? { redactor: createStream(), rest: withText };
    open.set(name, { redactor: stream.redactor, rest: withText });
    const shown = stream.redactor.push(text);
    if (shown !== "") next(withText(shown));
  };
}
