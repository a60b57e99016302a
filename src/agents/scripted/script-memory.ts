// What the sessions of the scripted agent remember: the prompts and answers of earlier turns. It can be lost, like that
// of a real program: a session whose memory is gone can't be resumed, and a new session knows nothing.

import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface ScriptMemory {
  /** The conversation so far; undefined for a session without one. */
  recall(session: string): string | undefined;
  add(session: string, text: string): void;
  /** The session was closed. It may still be resumed. */
  close(session: string): void;
}

/** How many closed sessions a process remembers: a run of ten thousand turns must not grow with them. */
export const maxClosedSessions = 500;

/** Remembers open sessions and those closed last, as long as the process lives. */
export function createProcessMemory(): ScriptMemory {
  const conversations = new Map<string, string>();
  /** In the order in which they were closed. */
  const closed = new Set<string>();
  return {
    recall: (session) => conversations.get(session),
    add(session, text) {
      closed.delete(session);
      conversations.set(session, `${conversations.get(session) ?? ""}${text}\n`);
    },
    close(session) {
      closed.delete(session);
      closed.add(session);
      for (const oldest of closed) {
        if (closed.size <= maxClosedSessions) break;
        closed.delete(oldest);
        conversations.delete(oldest);
      }
    },
  };
}

/** Remembers in files, one per session, for the processes that resume them. */
export function createFileMemory(folder: string, redact: ((text: string) => string) | undefined): ScriptMemory {
  const fileOf = (session: string): string => join(folder, `${session}.txt`);
  return {
    recall(session) {
      // Ids come from records; a path is not a valid id.
      if (!/^[\w-]+$/.test(session)) return undefined;
      try {
        return readFileSync(fileOf(session), "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    add(session, text) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      appendFileSync(fileOf(session), `${redact?.(text) ?? text}\n`, { mode: 0o600 });
    },
    close() {},
  };
}
