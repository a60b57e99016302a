// A conversation with an agent, usable without a screen: messages, a queue, questions, commands, and a record that
// survives the process. One turn at a time; what is submitted meanwhile waits. After a turn that failed or was stopped
// the queue waits for the user.

import { isTerminal, type AgentEvent, type TerminalEvent } from "../../agents/events.ts";
import { checkReply, declined, type AgentQuestion, type QuestionReply } from "../../agents/questions.ts";
import { questionGone } from "../../agents/open-questions.ts";
import type { ChatEvent } from "../../chat/chat-event.ts";
import type { ChatBlock, ChatView } from "../../chat/chat-view.ts";
import { foldLive, withPhase } from "../../chat/fold-live.ts";
import { foldRecord } from "../../chat/fold-record.ts";
import type { JournalEvent } from "../../journal/port.ts";
import { createDeferred, type Deferred } from "../../lib/deferred.ts";
import { AtomicError } from "../../lib/errors.ts";
import { createTeam, type TeamSession } from "./agent-team.ts";
import { type Cap, createCap, limitText } from "./chat-cap.ts";
import { createChatQuestions } from "./chat-questions.ts";
import type { ChatRecord } from "./chat-record.ts";
import { serveRequests } from "./chat-requests.ts";
import type { ChatPorts, Conversation, Turn, TurnOutcome, Work, WorkFeed } from "./conversation.ts";
import { compactText, finishedFacts } from "./turn-facts.ts";
import { createTurnRecorder } from "./turn-recorder.ts";

/** A turn of a chat belongs to no node. */
const noNode = { node: undefined, key: undefined, task: undefined, worker: undefined };

/** What a turn takes of a session: one agent's, or that of several. */
type TurnSession = TeamSession;

export function createConversation(first: ChatView, ports: ChatPorts): Conversation {
  const { clock, client } = ports;
  const listeners = new Set<() => void>();
  let view = first;
  let record: Promise<ChatRecord> | undefined;
  let stop: AbortController | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let answering: ((id: string, reply: QuestionReply) => void) | undefined;
  /** The record that was released before, until it is closed. */
  let released: Promise<void> = Promise.resolve();
  const paused = createDeferred<void>();
  const questions = createChatQuestions(ports.redact ?? ((text) => text));
  /** What happened before the first message, for the record that is created with it. */
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
    record ??= released
      .then(() => ports.openRecord(prompt, view.model, (event) => set(foldRecord(view, event))))
      .then(async (made) => {
        const before = early;
        early = [];
        if (before.length > 0) await made.append(before);
        void serveRequests(made, { answer: answerFor, pause });
        return made;
      });
    record.then(
      ({ lost }) => lost.addEventListener("abort", () => stop?.abort(), { once: true }),
      // The next message tries again.
      () => (record = undefined),
    );
    return record;
  }

  /** For another process. */
  function answerFor(request: Parameters<typeof questions.take>[0]): void {
    const whole = questions.take(request);
    if (whole !== undefined) answer(whole.id, whole.reply);
  }

  /** For another process: stops what runs, and gives the chat up until the next message. */
  async function pause(): Promise<void> {
    while (stop !== undefined) {
      interrupt();
      await running;
    }
    const made = await record;
    record = undefined;
    if (made !== undefined) await (released = made.close("paused"));
    const text = "Paused from another process. Your next message continues this chat.";
    show({ kind: "notice", id: `shown-${ports.newId()}`, level: "warning", text });
    paused.resolve();
  }

  function interrupt(): boolean {
    if (stop === undefined || stop.signal.aborted) return stop !== undefined;
    set(withPhase(view, "stopping"));
    stop.abort();
    return true;
  }

  function answer(questionId: string, reply: QuestionReply): void {
    if (answering === undefined) throw new AtomicError("QUESTION_UNKNOWN", "No question is open in this chat.");
    answering(questionId, reply);
    // At once: what is typed next is no answer to it.
    withoutQuestion(questionId);
  }

  function withoutQuestion(questionId: string): void {
    const remaining = view.questions.filter(({ id }) => id !== questionId);
    set(withPhase({ ...view, questions: remaining }, remaining.length === 0 ? "working" : "asking"));
  }

  const show = (block: ChatBlock): void => set({ ...view, blocks: [...view.blocks, block] });

  function warn(text: string): Promise<void> {
    return put({ type: "chat.noticed", id: `notice-${ports.newId()}`, level: "warning", text });
  }

  async function turn({ line, prompt, opening, skill, agents }: Turn): Promise<TurnOutcome> {
    const agent = agents?.map(({ name }) => name).join(", ");
    const id = ports.newId();
    const startedAt = clock.now();
    const redact = ports.redact ?? ((text: string) => text);
    const controller = new AbortController();
    const cap = createCap(ports.limits, view);
    stop = controller;
    const ended = async (outcome: TurnOutcome, message?: string): Promise<void> => {
      const facts = { turn: id, outcome, ms: Math.max(0, clock.now() - startedAt) };
      const end = {
        type: "chat.turn-ended",
        ...facts,
        ...(message !== undefined && { message: redact(message) }),
      } as const;
      await put(...questions.closeAll(), end);
    };
    try {
      const capped = limitText(ports.limits, view);
      await opened(redact(line));
      await put({
        type: "chat.prompted",
        turn: id,
        line: redact(line),
        ...(prompt !== undefined && { prompt: redact(prompt) }),
        ...(skill !== undefined && { skill }),
        ...(agent !== undefined && { agent }),
      });
      if (opening !== undefined) await put({ type: "chat.said", turn: id, id: ports.newId(), text: opening });
      if (capped !== undefined) {
        await ended("failed", capped);
        return "failed";
      }
      const session = agents === undefined ? await sessions.main(view.model) : await open(agents);
      try {
        const end = await follow(session, id, prompt ?? line, agent, controller, cap);
        const outcome = end.type.slice("turn.".length) as TurnOutcome;
        await ended(outcome, end.type === "turn.failed" ? end.failure.message : cap.text);
        return outcome;
      } finally {
        if (agents !== undefined) await session.close();
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

  /** Separate sessions, for one turn. */
  async function open(agents: NonNullable<Turn["agents"]>): Promise<TurnSession> {
    const opened = await Promise.allSettled(agents.map((agent) => sessions.open(agent, view.model)));
    const members = opened.flatMap((result, i) =>
      result.status === "fulfilled" ? [{ name: agents[i]?.name ?? "", session: result.value }] : [],
    );
    const failed = opened.find((result) => result.status === "rejected");
    if (failed !== undefined) {
      await Promise.all(members.map(({ session }) => session.close()));
      throw failed.reason;
    }
    const [only] = members;
    return only !== undefined && members.length === 1 ? only.session : createTeam(ports.newId(), members);
  }

  async function work({ line, onInterrupt, body }: Work): Promise<TurnOutcome> {
    const id = ports.newId();
    const startedAt = clock.now();
    const redact = ports.redact ?? ((text: string) => text);
    const asked = new Map<string, { readonly question: AgentQuestion; readonly reply: Deferred<QuestionReply> }>();
    const controller = new AbortController();
    const declineAsked = (): void => {
      for (const { reply } of asked.values()) reply.resolve(declined);
    };
    controller.signal.addEventListener("abort", onInterrupt, { once: true });
    // A question that was asked before the run started would wait forever.
    controller.signal.addEventListener("abort", declineAsked, { once: true });
    stop = controller;
    answering = (questionId, reply) => {
      const open = asked.get(questionId);
      if (open === undefined) throw questionGone(questionId);
      checkReply(open.question, reply);
      close(questionId, reply);
    };
    const close = (questionId: string, reply: QuestionReply): void => {
      const open = asked.get(questionId);
      asked.delete(questionId);
      open?.reply.resolve(reply);
    };
    const feed: WorkFeed = {
      say: (text) => put({ type: "chat.said", turn: id, id: ports.newId(), text: redact(text) }),
      show: (live) => set({ ...view, live }),
      async ask(question) {
        const reply = createDeferred<QuestionReply>();
        asked.set(question.id, { question, reply });
        await put(...questions.asked(question));
        set(withPhase({ ...view, questions: [...view.questions, question] }, "asking"));
        const given = await reply.promise;
        await put(...questions.closed(question.id, given.type === "answered" ? given.answers : undefined));
        return given;
      },
      async answered(questionId, question, answer) {
        if (asked.has(questionId)) {
          close(questionId, declined);
          withoutQuestion(questionId);
        }
        const facts = { turn: id, id: questionId, question: redact(question), answer: redact(answer) };
        await put({ type: "chat.asked", ...facts });
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
      const end = {
        type: "chat.turn-ended",
        ...facts,
        ...(message !== undefined && { message: redact(message) }),
      } as const;
      await put(...questions.closeAll(), end);
      return outcome;
    } finally {
      declineAsked();
      stop = undefined;
      answering = undefined;
    }
  }

  async function follow(
    session: TurnSession,
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
    const place = { ...noNode, agent: about.agent, backend: client.kind, prompt };
    for await (const event of session.turn(prompt, options)) {
      ports.onProgress({ place, event });
      if (event.type === "turn.started")
        await put({
          type: "agent.turn-started",
          ...about,
          sessionId: session.id,
          modelAsked: event.modelAsked ?? null,
        });
      // A sub-agent has its own model and context; the chat's stay as they are.
      if (agent !== undefined && (event.type === "model.served" || event.type === "context.measured")) continue;
      const { shown, records } = recorder.take(event);
      await put(...records, ...questionRecords(event));
      if (isTerminal(event)) {
        await put({ type: "agent.turn-finished", ...about, ...finishedFacts(event) });
        return event;
      }
      if (shown !== undefined) set(foldLive(view, shown, clock.now()));
      // A cap is kept inside a turn, at each call that the agent reports.
      if (event.type === "usage.reported" && cap.note(event.usage)) controller.abort();
    }
    throw new Error("a turn ended without its terminal event");
  }

  /** For other processes, which see and answer what is open. */
  function questionRecords(event: AgentEvent): readonly JournalEvent[] {
    if (event.type === "question.asked") return questions.asked(event.question);
    if (event.type === "question.answered") return questions.closed(event.questionId, event.answers);
    if (event.type === "question.declined") return questions.closed(event.questionId, undefined);
    return isTerminal(event) ? questions.closeAll() : [];
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
    interrupt,
    answer,
    paused: paused.promise,
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
    show,
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
