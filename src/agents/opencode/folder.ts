// One folder of a server: its calls and its stream of events, which carries all sessions of the folder. Gives every
// event to the follower of its session; pieces of a text that arrived together are joined. A sub-agent is a separate
// session and belongs to the follower of its parent: from its creation, or, when an earlier one is continued, from the
// tool call that names it.

import type { Clock } from "../../lib/clock.ts";
import { createEventStream } from "./event-stream.ts";
import { opencodeErrorText } from "./opencode-failure.ts";
import { createFolderApi, type FolderApi } from "./folder-api.ts";
import type { HttpCall } from "./http-call.ts";
import { createJoinedPieces } from "./joined-pieces.ts";
import { parseEvent, type SessionEvent } from "./parse-event.ts";
import { childSessionOf } from "./tool-part.ts";

export interface Follower {
  onEvent(event: SessionEvent): void;
  /** Something about the folder that ends nothing. */
  onNotice(message: string): void;
  /** Events may have been missed: ask for the state. */
  onGap(): void;
  /** Nothing more will come. */
  onLost(): void;
}

export interface Following {
  /** A sub-agent that no event announced. */
  adopt(sessionId: string): void;
  stop(): void;
}

export interface Folder {
  readonly api: FolderApi;
  /** Resolves when events arrive. */
  readonly ready: Promise<void>;
  /** From now on the follower gets the session's events and those of its sub-agents. */
  follow(sessionId: string, follower: Follower): Following;
  /** The server is gone. */
  lose(): void;
  /** Stops reading and, while the server lives, has it end what it runs here. False when the server did not do so. */
  end(isServerAlive: boolean): Promise<boolean>;
}

export interface FolderOptions {
  readonly path: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly call: HttpCall;
  readonly clock: Clock;
  /** The stream is lost although the server seems to live: it is of no use any more. */
  readonly onLost: () => void;
}

export function createFolder(options: FolderOptions): Folder {
  const api = createFolderApi(options.call, options.path);
  /** A session may be open twice. */
  const followers = new Map<string, Set<Follower>>();
  const everyone = (): readonly Follower[] => [...followers.values()].flatMap((set) => [...set]);
  /** Who gets the events of a session: those who follow it, or the session it is a sub-agent of. */
  const audiences = new Map<string, Set<Follower>>();

  const pieces = createJoinedPieces(tell);

  function onData(data: string): void {
    const event = parseEvent(data);
    if (event === undefined) return;
    if (event.type === "part.delta") return pieces.add(event);
    pieces.flush();
    if (event.type === "unreadable") return noticeAll(`OpenCode said something that can't be read: ${event.what}`);
    if (event.type === "folder.failed") return noticeAll(`OpenCode reports: ${opencodeErrorText(event.error)}`);
    if (event.type === "session.created" && event.parentId !== undefined) adopt(event.sessionId, event.parentId);
    if (event.type === "part.updated" && event.part.type === "tool") {
      const child = childSessionOf(event.part);
      if (child !== undefined) adopt(child, event.sessionId);
    }
    tell(event);
  }

  function tell(event: SessionEvent): void {
    const audience = audiences.get(event.sessionId);
    if (audience !== undefined) for (const follower of audience) follower.onEvent(event);
  }

  function adopt(child: string, parent: string): void {
    const audience = audiences.get(parent);
    if (audience !== undefined) audiences.set(child, audience);
  }

  function noticeAll(message: string): void {
    for (const follower of everyone()) follower.onNotice(message);
  }

  function lose(): void {
    stream.close();
    for (const follower of everyone()) follower.onLost();
  }

  const stream = createEventStream({
    url: `${options.url}/event?directory=${encodeURIComponent(options.path)}`,
    headers: options.headers,
    clock: options.clock,
    onData,
    onPause: pieces.flush,
    onGap: () => {
      for (const follower of everyone()) follower.onGap();
    },
    onLost: () => {
      lose();
      options.onLost();
    },
  });

  return {
    api,
    ready: stream.ready,
    follow(sessionId, follower) {
      const set = followers.get(sessionId) ?? new Set();
      followers.set(sessionId, set.add(follower));
      audiences.set(sessionId, set);
      return {
        adopt: (child) => adopt(child, sessionId),
        stop() {
          set.delete(follower);
          if (set.size > 0) return;
          followers.delete(sessionId);
          for (const [session, audience] of audiences) if (audience === set) audiences.delete(session);
        },
      };
    },
    lose,
    async end(isServerAlive) {
      stream.close();
      if (!isServerAlive) return true;
      return api.dispose().then(
        () => true,
        () => false,
      );
    },
  };
}
