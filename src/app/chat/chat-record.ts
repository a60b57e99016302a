// The record of a chat: a journal in its own folder, like that of any run, so that `atomic sessions` lists it, and
// its files show its status. Created with the first message; a chat without messages leaves nothing.

import type { AgentClient } from "../../agents/port.ts";
import { type ChatEvent, chatRecord, chatWorkflow } from "../../chat/chat-event.ts";
import type { JournalEvent, JournalHandle, PendingRequest, StoredEvent } from "../../journal/port.ts";
import { readEvent } from "../../events/run-event.ts";
import type { Clock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { SessionProjections } from "../../workflows/sessions/projections.ts";
import { nextView, readView, type SessionView, totalsOf } from "../../workflows/sessions/session-view.ts";
import type { RunStore } from "../../workflows/sessions/run-store.ts";
import { chatPlace } from "./chat-questions.ts";

export interface ChatRecord {
  /** Aborts when another process has taken the chat. */
  readonly lost: AbortSignal;
  /** Durable when it resolves. Throws JOURNAL_WRITE_FAILED and OWNER_LOST. */
  append(events: readonly (ChatEvent | JournalEvent)[]): Promise<void>;
  /** Records the end and releases the chat. */
  close(reason: "paused" | "interrupted", details?: JsonObject): Promise<void>;
  /** Requests of other processes, until the chat is released. */
  requests(): AsyncIterable<PendingRequest>;
  acknowledge(requestId: string): Promise<void>;
}

export interface ChatStart {
  readonly id: string;
  /** Continue one that is on record. */
  readonly isContinued: boolean;
  readonly prompt: string;
  readonly cwd: string;
  readonly client: Pick<AgentClient, "kind" | "label">;
  readonly model: string | undefined;
  readonly script: string | undefined;
  readonly isProjectTrusted: boolean;
  /** The last event that this process knows, when it had the chat before. */
  readonly lastSeq?: number | undefined;
}

export interface ChatRecordHost {
  readonly store: RunStore;
  readonly clock: Clock;
}

/** Throws RUN_OWNED when another process has the chat, and OWNER_LOST when one has continued it since. */
export async function openChatRecord(
  { store, clock }: ChatRecordHost,
  start: ChatStart,
  onEvent: (event: StoredEvent) => void,
): Promise<ChatRecord> {
  const folder = store.folder(start.id);
  const handle = await store.open(start.id, { mode: start.isContinued ? "resume" : "create" });
  let view: SessionView;
  try {
    view = await readView(start.id, handle.history);
    if (start.lastSeq !== undefined && view.lastSeq !== start.lastSeq) throw continuedElsewhere(start.id);
    await dropRequests(handle);
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  const projections = new SessionProjections(folder, () => view, clock);

  async function put(events: readonly JournalEvent[], status?: "running" | "paused"): Promise<void> {
    const entry = status === undefined ? undefined : { status, dueAt: undefined };
    const timed = events.map((event) => ({ ...event, at: clock.now() }));
    for (const event of await handle.append(timed, entry)) {
      const read = readEvent(event);
      view = nextView(view, read);
      projections.onEvent(read);
      onEvent(event);
    }
  }

  try {
    // A process that was killed left its questions open; no agent waits for them any more.
    await put([...unanswered(view), startEvent(start, folder.dir)], "running");
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  return {
    lost: handle.lost,
    append: (events) => put(events.map((event) => ("seq" in event ? event : asRecord(event)))),
    requests: () => handle.requests(new AbortController().signal),
    acknowledge: async (requestId) => handle.acknowledge(requestId),
    async close(reason, details = {}) {
      try {
        await put([{ type: "run.paused", reason, ...details, totals: { ...totalsOf(view) } }], "paused");
      } finally {
        projections.write();
        await handle.close();
      }
    },
  };
}

/** Requests to an earlier process are not meant for this one. */
async function dropRequests(handle: Pick<JournalHandle, "pending" | "acknowledge">): Promise<void> {
  for (const { id } of await handle.pending()) await handle.acknowledge(id);
}

function unanswered({ questions }: SessionView): readonly JournalEvent[] {
  return [...questions.keys()].map((question) => ({
    type: "question.answered",
    key: chatPlace.key,
    question,
    answer: null,
    by: "default",
  }));
}

function continuedElsewhere(id: string): AtomicError {
  return new AtomicError(
    "OWNER_LOST",
    `Another process has continued chat ${id} since it was paused here. Leave this one, and continue it with: atomic chat --resume ${id}`,
    { details: { run: id } },
  );
}

function asRecord(event: ChatEvent | JournalEvent): JournalEvent {
  return event.type.startsWith("chat.") ? chatRecord(event as ChatEvent) : event;
}

function startEvent(start: ChatStart, sessionDir: string): JournalEvent {
  const { client, model, script, isContinued, prompt, cwd, isProjectTrusted } = start;
  return {
    type: "run.started",
    workflow: chatWorkflow,
    resumed: isContinued,
    agent: client.label,
    agentKind: client.kind,
    model: model ?? null,
    sessionDir,
    maxIterations: 0,
    limits: { maxIterations: 0 },
    isProjectTrusted,
    ...(script !== undefined && { script }),
    ...(!isContinued && { prompt, cwd, options: {}, descriptions: {} }),
  };
}
