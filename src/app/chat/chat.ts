// A conversation with an agent, usable without a screen: messages, a queue, questions, commands, and a record that
// survives the process. One turn at a time; what is submitted meanwhile waits. After a turn that failed or was stopped
// the queue waits for the user.

import type { AgentProgress } from "../../agents/agent-progress.ts";
import type { AgentClient, ModelInfo } from "../../agents/port.ts";
import type { ToolServer } from "../../agents/tool-servers.ts";
import { isTerminal, type AgentEvent, type TerminalEvent } from "../../agents/events.ts";
import { checkReply, declined, type AgentQuestion, type QuestionReply } from "../../agents/questions.ts";
import { questionGone } from "../../agents/open-questions.ts";
import { totalTokens } from "../../agents/usage.ts";
import type { ChatEvent, QueuedLine } from "../../chat/chat-event.ts";
import type { ChatBlock, ChatView } from "../../chat/chat-view.ts";
import { foldLive, withPhase } from "../../chat/fold-live.ts";
import { foldRecord } from "../../chat/fold-record.ts";
import type { JournalEvent } from "../../journal/port.ts";
import type { Clock } from "../../lib/clock.ts";
import { createDeferred, type Deferred } from "../../lib/deferred.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { StreamRedactor } from "../../lib/redact.ts";
import type { ChatRecord } from "./chat-record.ts";
import type { ChatSessions } from "./chat-session.ts";
import { compactText, finishedFacts } from "./turn-facts.ts";
import { createTurnRecorder } from "./turn-recorder.ts";

export interface ChatLimits {
  readonly maxCostUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
}

export interface ChatPorts {
  readonly client: Pick<AgentClient, "kind" | "models" | "close">;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly redact: ((text: string) => string) | undefined;
  readonly createStreamRedactor: (() => StreamRedactor) | undefined;
  readonly limits: ChatLimits;
  /** What the agent does, for the transcript. */
  readonly onProgress: (progress: AgentProgress) => void;
  readonly sessions: (notes: Pick<TurnPorts, "record" | "notice">) => ChatSessions;
  /** Makes the record, or takes it over from the process before. */
  readonly openRecord: (prompt: string, model: string | undefined, onEvent: FoldEvent) => Promise<ChatRecord>;
}

type FoldEvent = (event: Parameters<typeof foldRecord>[1]) => void;

interface TurnPorts {
  readonly record: (...events: readonly (ChatEvent | JournalEvent)[]) => Promise<void>;
  readonly notice: (text: string) => Promise<void>;
}

export interface Turn {
  /** As the user wrote it. */
  readonly line: string;
  /** What the agent gets, where that is something else. */
  readonly prompt?: string | undefined;
  /** Said before the agent answers. */
  readonly opening?: string | undefined;
  /** The name of the skill whose prompt it is. */
  readonly skill?: string | undefined;
  /** The turn belongs to that agent, in a separate session. */
  readonly agent?: Parameters<ChatSessions["open"]>[0] | undefined;
}

/** What a workflow may do in the conversation while it has it. */
export interface WorkFeed {
  say(text: string): Promise<void>;
  /** What runs at the moment. */
  show(live: readonly ChatBlock[]): void;
  ask(question: AgentQuestion): Promise<QuestionReply>;
}

export interface Work {
  /** As the user wrote it. */
  readonly line: string;
  readonly onInterrupt: () => void;
  body(feed: WorkFeed): Promise<{ readonly outcome: TurnOutcome; readonly message?: string | undefined }>;
}

/** What the chat has used by now; and why a turn was stopped, when a limit did it. */
interface Cap {
  costUsd: number;
  tokens: number;
  text?: string | undefined;
}

/** A turn of a chat belongs to no node. */
const nowhere = { node: undefined, key: undefined, task: undefined, worker: undefined };

export type TurnOutcome = "completed" | "failed" | "interrupted";

export interface Conversation {
  readonly view: ChatView;
  onChange(listener: () => void): () => void;
  /** Takes the record of an earlier process. Throws RUN_OWNED while that one lives. */
  resume(): Promise<void>;
  /** Resolves when the turn has ended. Throws nothing for what an agent does. */
  turn(turn: Turn): Promise<TurnOutcome>;
  /** Something else than a turn of the chat's agent takes the conversation: a workflow. */
  work(work: Work): Promise<TurnOutcome>;
  /** False when nothing runs. */
  interrupt(): boolean;
  /** Throws QUESTION_UNKNOWN and QUESTION_ANSWER_INVALID. */
  answer(questionId: string, reply: QuestionReply): void;
  setQueue(queue: readonly QueuedLine[]): Promise<void>;
  setModel(model: string): Promise<void>;
  models(): Promise<readonly ModelInfo[]>;
  /** Opens the agent's session where it is not open yet; asks no model. Throws AGENT_CAPABILITY. */
  servers(): Promise<readonly ToolServer[]>;
  switchServer(name: string, isOn: boolean): Promise<void>;
  /** What was shortened, in words: a line, and below it what the agent keeps, if it reports that. Throws AGENT_CAPABILITY. */
  compact(focus: string | undefined): Promise<string>;
  clear(): Promise<void>;
  /** Shown, and not kept. */
  show(block: ChatBlock): void;
  close(): Promise<void>;
}

export function createConversation(first: ChatView, ports: ChatPorts): Conversation {
  const { clock, client } = ports;
  const listeners = new Set<() => void>();
  let view = first;
  let record: Promise<ChatRecord> | undefined;
  let stop: AbortController | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let answering: ((id: string, reply: QuestionReply) => void) | undefined;
  /** What happened before the first message, for a record that is made with it. */
  let early: readonly ChatEvent[] = [];
  const sessions = ports.sessions({
    async record(...events) {
      if (record === undefined) early = [...early, ...(events as readonly ChatEvent[])];
      else await put(...events);
    },
    notice: warn,
  });

  function set(next: ChatView): void {
    if (next === view) return;
    view = next;
    for (const listener of listeners) listener();
  }

  async function put(...events: readonly (ChatEvent | JournalEvent)[]): Promise<void> {
    if (events.length === 0) return;
    await (await opened("")).append(events);
  }

  function opened(prompt: string): Promise<ChatRecord> {
    record ??= ports
      .openRecord(prompt, view.model, (event) => set(foldRecord(view, event)))
      .then(async (made) => {
        const before = early;
        early = [];
        if (before.length > 0) await made.append(before);
        return made;
      });
    record.then(
      ({ lost }) => lost.addEventListener("abort", () => stop?.abort(), { once: true }),
      // The next message tries again.
      () => (record = undefined),
    );
    return record;
  }

  function warn(text: string): Promise<void> {
    return put({ type: "chat.noticed", id: `notice-${ports.newId()}`, level: "warning", text });
  }

  async function turn({ line, prompt, opening, skill, agent }: Turn): Promise<TurnOutcome> {
    const id = ports.newId();
    const startedAt = clock.now();
    const redact = ports.redact ?? ((text: string) => text);
    const controller = new AbortController();
    const cap: Cap = { costUsd: view.costUsd, tokens: view.tokens };
    stop = controller;
    const ended = async (outcome: TurnOutcome, message?: string): Promise<void> => {
      const facts = { turn: id, outcome, ms: Math.max(0, clock.now() - startedAt) };
      await put({ type: "chat.turn-ended", ...facts, ...(message !== undefined && { message: redact(message) }) });
    };
    try {
      const capped = overLimit();
      await opened(redact(line));
      await put({
        type: "chat.prompted",
        turn: id,
        line: redact(line),
        ...(prompt !== undefined && { prompt: redact(prompt) }),
        ...(skill !== undefined && { skill }),
        ...(agent !== undefined && { agent: agent.name }),
      });
      if (opening !== undefined) await put({ type: "chat.said", turn: id, id: ports.newId(), text: opening });
      if (capped !== undefined) {
        await ended("failed", capped);
        return "failed";
      }
      const session = agent === undefined ? await sessions.main(view.model) : await sessions.open(agent, view.model);
      try {
        const end = await follow(session, id, prompt ?? line, agent?.name, controller, cap);
        const outcome = end.type.slice("turn.".length) as TurnOutcome;
        await ended(outcome, end.type === "turn.failed" ? end.failure.message : cap.text);
        return outcome;
      } finally {
        if (agent !== undefined) await session.close();
      }
    } catch (thrown) {
      if (!AtomicError.is(thrown)) throw thrown;
      // The agent does not start, or the record can't be kept: the user decides what to do.
      controller.abort();
      await ended("failed", thrown.message).catch((second: unknown) => {
        if (!AtomicError.is(second)) throw second;
        const text = `${thrown.message} ${second.message === thrown.message ? "" : second.message}`.trim();
        const lost: ChatBlock = { kind: "ended", id: `${id}-end`, outcome: "failed", text };
        set({ ...view, turn: undefined, live: [], questions: [], blocks: [...view.blocks, lost] });
      });
      return "failed";
    } finally {
      stop = undefined;
      answering = undefined;
    }
  }

  async function work({ line, onInterrupt, body }: Work): Promise<TurnOutcome> {
    const id = ports.newId();
    const startedAt = clock.now();
    const redact = ports.redact ?? ((text: string) => text);
    const asked = new Map<string, { readonly question: AgentQuestion; readonly reply: Deferred<QuestionReply> }>();
    const controller = new AbortController();
    controller.signal.addEventListener("abort", onInterrupt, { once: true });
    stop = controller;
    answering = (questionId, reply) => {
      const open = asked.get(questionId);
      if (open === undefined) throw questionGone(questionId);
      checkReply(open.question, reply);
      asked.delete(questionId);
      open.reply.resolve(reply);
    };
    const feed: WorkFeed = {
      say: (text) => put({ type: "chat.said", turn: id, id: ports.newId(), text: redact(text) }),
      show: (live) => set({ ...view, live }),
      async ask(question) {
        const reply = createDeferred<QuestionReply>();
        asked.set(question.id, { question, reply });
        set(withPhase({ ...view, questions: [...view.questions, question] }, "asking"));
        return reply.promise;
      },
    };
    try {
      await opened(redact(line));
      await put({ type: "chat.prompted", turn: id, line: redact(line) });
      set(withPhase(view, "working"));
      const { outcome, message } = await body(feed).catch((thrown: unknown) => {
        if (!AtomicError.is(thrown)) throw thrown;
        return { outcome: "failed" as const, message: thrown.message };
      });
      const facts = { turn: id, outcome, ms: Math.max(0, clock.now() - startedAt) };
      await put({ type: "chat.turn-ended", ...facts, ...(message !== undefined && { message: redact(message) }) });
      return outcome;
    } finally {
      for (const { reply } of asked.values()) reply.resolve(declined);
      stop = undefined;
      answering = undefined;
    }
  }

  async function follow(
    session: Awaited<ReturnType<ChatSessions["main"]>>,
    id: string,
    prompt: string,
    agent: string | undefined,
    controller: AbortController,
    cap: Cap,
  ): Promise<TerminalEvent> {
    answering = (questionId, reply) => session.answer(questionId, reply);
    const { redact, createStreamRedactor } = ports;
    const recorder = createTurnRecorder({ turn: id, now: () => clock.now(), redact, createStreamRedactor });
    const about = { agent: agent ?? client.kind, session: agent === undefined ? "main" : null, task: null };
    const model = agent === undefined && view.model !== session.model ? view.model : undefined;
    const options = { signal: controller.signal, reportsCost: true, ...(model !== undefined && { model }) };
    const place = { ...nowhere, agent: about.agent, backend: client.kind, prompt };
    for await (const event of session.turn(prompt, options)) {
      ports.onProgress({ place, event });
      if (event.type === "turn.started")
        await put({
          type: "agent.turn-started",
          ...about,
          sessionId: session.id,
          modelAsked: event.modelAsked ?? null,
        });
      const { shown, records } = recorder.take(event);
      await put(...records);
      if (isTerminal(event)) {
        await put({ type: "agent.turn-finished", ...about, ...finishedFacts(event) });
        return event;
      }
      if (shown !== undefined) set(foldLive(view, shown, clock.now()));
      if (event.type === "usage.reported") noteUsage(event, cap, controller);
    }
    throw new Error("a turn ended without its terminal event");
  }

  /** A cap is kept inside a turn, at each call that the agent reports. */
  function noteUsage(
    { usage }: Extract<AgentEvent, { type: "usage.reported" }>,
    cap: Cap,
    controller: AbortController,
  ): void {
    cap.costUsd += usage.costUsd ?? 0;
    cap.tokens += totalTokens(usage);
    cap.text ??= limitText(cap);
    if (cap.text !== undefined) controller.abort();
  }

  const overLimit = (): string | undefined => limitText(view);

  function limitText(used: { readonly costUsd: number; readonly tokens: number }): string | undefined {
    const { maxCostUsd, maxTokens } = ports.limits;
    if (maxCostUsd !== undefined && used.costUsd >= maxCostUsd)
      return `The limit of $${maxCostUsd} for this chat is reached. Continue it with a higher --max-cost.`;
    if (maxTokens !== undefined && used.tokens >= maxTokens)
      return `The limit of ${maxTokens} tokens for this chat is reached. Continue it with a higher --max-tokens.`;
    return undefined;
  }

  return {
    get view() {
      return view;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async resume() {
      await opened("");
    },
    turn(asked) {
      const going = turn(asked);
      running = going.catch(() => undefined);
      return going;
    },
    work(asked) {
      const going = work(asked);
      running = going.catch(() => undefined);
      return going;
    },
    interrupt() {
      if (stop === undefined || stop.signal.aborted) return stop !== undefined;
      set(withPhase(view, "stopping"));
      stop.abort();
      return true;
    },
    answer(questionId, reply) {
      if (answering === undefined) throw new AtomicError("QUESTION_UNKNOWN", "No question is open in this chat.");
      answering(questionId, reply);
      // At once: what is typed next is not an answer to it.
      const questions = view.questions.filter(({ id }) => id !== questionId);
      set(withPhase({ ...view, questions }, questions.length === 0 ? "working" : "asking"));
    },
    async setQueue(queue) {
      const masked = queue.map(({ id, line }) => ({ id, line: ports.redact?.(line) ?? line }));
      // The text itself stays as it was typed, for the agent; the record holds the masked one.
      await put({ type: "chat.queue-changed", queue: masked });
      set({ ...view, queue });
    },
    async setModel(model) {
      if (record === undefined) set({ ...view, model, modelServed: undefined });
      else await put({ type: "chat.model-chosen", model });
    },
    models: () => client.models(),
    servers: async () => (await sessions.main(view.model)).servers(),
    switchServer: async (name, isOn) => (await sessions.main(view.model)).switchServer(name, isOn),
    async compact(focus) {
      const session = await sessions.current(view.model);
      if (session === undefined) return "Nothing to compact yet.";
      const startedAt = clock.now();
      set({ ...view, turn: { id: "compact", startedAt, phase: "compacting" } });
      try {
        const summary = compactText(await session.compact(focus), focus);
        await put({ type: "chat.compacted", summary: ports.redact?.(summary) ?? summary });
        return summary;
      } finally {
        set({ ...view, turn: undefined });
      }
    },
    async clear() {
      await sessions.clear();
      if (record === undefined) set({ ...view, blocks: [], live: [] });
      else await put({ type: "chat.cleared" });
    },
    show: (block) => set({ ...view, blocks: [...view.blocks, block] }),
    async close() {
      stop?.abort();
      await sessions.clear();
      await running;
      await client.close();
      if (record === undefined) return;
      await (await record).close("paused");
    },
  };
}
