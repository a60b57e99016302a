// One event of the server's stream, from JSON to a typed value. Events that say nothing here are undefined; one of a
// known type that can't be read is `unreadable`, so that somebody is told. Pieces of text come by the thousand and are
// checked by hand; all others pass a schema.

import { z } from "zod";
import {
  errorSchema,
  messageSchema,
  partSchema,
  permissionSchema,
  questionSchema,
  statusSchema,
  type Message,
  type OpencodeError,
  type OpencodeQuestion,
  type Part,
  type Permission,
  type Status,
} from "./wire.ts";

interface Of<Type extends string> {
  readonly type: Type;
  readonly sessionId: string;
}

export interface PartDelta extends Of<"part.delta"> {
  readonly partId: string;
  readonly text: string;
}

/** What happened in one session of OpenCode. */
export type SessionEvent =
  | PartDelta
  | (Of<"message.updated"> & { readonly message: Message })
  | (Of<"part.updated"> & { readonly part: Part })
  | (Of<"session.created"> & { readonly parentId: string | undefined })
  | (Of<"session.status"> & { readonly status: Status })
  | (Of<"session.failed"> & { readonly error: OpencodeError })
  | Of<"session.compacted">
  | (Of<"question.asked"> & { readonly question: OpencodeQuestion })
  | (Of<"permission.asked"> & { readonly permission: Permission });

/** What concerns every session of the folder. */
export type FolderEvent =
  | { readonly type: "folder.failed"; readonly error: OpencodeError }
  | { readonly type: "unreadable"; readonly what: string };

export type OpencodeEvent = SessionEvent | FolderEvent;

const sessionId = z.object({ sessionID: z.string() });
const session = z.object({ info: z.object({ id: z.string(), parentID: z.string().optional() }) });
const failure = z.object({ sessionID: z.string().optional(), error: errorSchema });

/** Each reads the event's properties; it throws when they are not what they should be. */
const readers: Readonly<Record<string, (properties: unknown) => OpencodeEvent>> = {
  "message.updated": (properties) => {
    const message = z.object({ info: messageSchema }).parse(properties).info;
    return { type: "message.updated", sessionId: message.sessionID, message };
  },
  "message.part.updated": (properties) => {
    const { part } = z.object({ part: partSchema }).parse(properties);
    return { type: "part.updated", sessionId: part.sessionID, part };
  },
  "session.created": (properties) => {
    const { info } = session.parse(properties);
    return { type: "session.created", sessionId: info.id, parentId: info.parentID };
  },
  "session.status": (properties) => {
    const { sessionID, status } = sessionId.extend({ status: statusSchema }).parse(properties);
    return { type: "session.status", sessionId: sessionID, status };
  },
  "session.error": (properties) => {
    const { sessionID, error } = failure.parse(properties);
    if (sessionID === undefined) return { type: "folder.failed", error };
    return { type: "session.failed", sessionId: sessionID, error };
  },
  "session.compacted": (properties) => ({
    type: "session.compacted",
    sessionId: sessionId.parse(properties).sessionID,
  }),
  "question.asked": (properties) => {
    const question = questionSchema.parse(properties);
    return { type: "question.asked", sessionId: question.sessionID, question };
  },
  "permission.asked": (properties) => {
    const permission = permissionSchema.parse(properties);
    return { type: "permission.asked", sessionId: permission.sessionID, permission };
  },
};

/** `data` is the text of one server-sent event. */
export function parseEvent(data: string): OpencodeEvent | undefined {
  let event: { readonly type?: unknown; readonly properties?: unknown } | null;
  try {
    event = JSON.parse(data) as typeof event;
  } catch {
    return { type: "unreadable", what: clipped(data) };
  }
  if (event?.type === "message.part.delta") return readDelta(event.properties);
  const read = typeof event?.type === "string" && Object.hasOwn(readers, event.type) ? readers[event.type] : undefined;
  if (read === undefined) return undefined;
  try {
    return read(event?.properties);
  } catch {
    return { type: "unreadable", what: clipped(data) };
  }
}

function readDelta(properties: unknown): PartDelta | undefined {
  const delta = properties as Readonly<Record<string, unknown>> | undefined;
  if (typeof delta?.["delta"] !== "string" || delta["field"] !== "text") return undefined;
  const { sessionID, partID } = delta;
  if (typeof sessionID !== "string" || typeof partID !== "string") return undefined;
  return { type: "part.delta", sessionId: sessionID, partId: partID, text: delta["delta"] };
}

function clipped(data: string): string {
  return data.length > 200 ? `${data.slice(0, 200)}…` : data;
}
