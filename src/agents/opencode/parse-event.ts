// One event of the server's stream, from JSON to a typed value. Events that say nothing here are undefined; one of a
// known type that can't be read is `unreadable`, so that it can be reported.

import { parseJson } from "../../lib/parse-json.ts";
import { fieldsOf } from "../fields.ts";
import { textOf } from "./fields.ts";
import { parsePermission, parseQuestion, type OpencodeQuestion, type Permission } from "./wire-requests.ts";
import {
  parseError,
  parseMessage,
  parsePart,
  parseStatus,
  type Message,
  type OpencodeError,
  type Part,
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

type Reader = (properties: Readonly<Record<string, unknown>>) => OpencodeEvent | undefined;

/** Each reads the event's properties; undefined when they are not what they should be. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    "message.part.delta",
    ({ sessionID, partID, delta }) => {
      if (typeof sessionID !== "string" || typeof partID !== "string" || typeof delta !== "string") return undefined;
      return { type: "part.delta", sessionId: sessionID, partId: partID, text: delta };
    },
  ],
  [
    "message.updated",
    ({ info }) => {
      const message = parseMessage(info);
      return message && { type: "message.updated", sessionId: message.sessionID, message };
    },
  ],
  [
    "message.part.updated",
    (properties) => {
      const part = parsePart(properties["part"]);
      return part && { type: "part.updated", sessionId: part.sessionID, part };
    },
  ],
  [
    "session.created",
    ({ info }) => {
      const session = fieldsOf(info);
      const id = textOf(session?.["id"]);
      if (id === undefined) return undefined;
      return { type: "session.created", sessionId: id, parentId: textOf(session?.["parentID"]) };
    },
  ],
  [
    "session.status",
    ({ sessionID, status: value }) => {
      const [sessionId, status] = [textOf(sessionID), parseStatus(value)];
      return sessionId === undefined || status === undefined
        ? undefined
        : { type: "session.status", sessionId, status };
    },
  ],
  [
    "session.error",
    ({ sessionID, error: value }) => {
      const [sessionId, error] = [textOf(sessionID), parseError(value)];
      if (error === undefined) return undefined;
      return sessionId === undefined ? { type: "folder.failed", error } : { type: "session.failed", sessionId, error };
    },
  ],
  [
    "session.compacted",
    ({ sessionID }) =>
      typeof sessionID === "string" ? { type: "session.compacted", sessionId: sessionID } : undefined,
  ],
  [
    "question.asked",
    (properties) => {
      const question = parseQuestion(properties);
      return question && { type: "question.asked", sessionId: question.sessionID, question };
    },
  ],
  [
    "permission.asked",
    (properties) => {
      const permission = parsePermission(properties);
      return permission && { type: "permission.asked", sessionId: permission.sessionID, permission };
    },
  ],
]);

/** The server writes an event's id and type before everything else. */
const typePattern = /^\{(?:"id":"[^"]*",)?"type":"([^"]*)"/;
/** Below this it is cheaper to parse an event than to look at its type first. */
const smallChars = 1000;

/**
 * `data` is the text of one server-sent event. Large ones that are not needed (the changes of a session) aren't
 * parsed.
 */
export function parseEvent(data: string): OpencodeEvent | undefined {
  const type = data.length < smallChars ? undefined : typePattern.exec(data)?.[1];
  if (type !== undefined && !readers.has(type)) return undefined;
  const parsed = parseJson(data);
  if (parsed === undefined) return unreadable(data);
  const event = fieldsOf(parsed.value);
  const read = readers.get(textOf(event?.["type"]) ?? "");
  if (event === undefined || read === undefined) return undefined;
  return read(fieldsOf(event["properties"]) ?? {}) ?? unreadable(data);
}

function unreadable(data: string): FolderEvent {
  return { type: "unreadable", what: data.length > 200 ? `${data.slice(0, 200)}…` : data };
}
