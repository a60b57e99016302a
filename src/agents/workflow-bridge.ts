// How the nodes of a run reach agents: the engine's WorkflowBridge over the port. It owns the run's named sessions
// (`main` and so on: turns in one of them share its context) and starts a fresh session for everything else. What a
// turn did goes to the node's visit: its start and end as events, the rest as progress, the session's id as a note, so
// that a later attempt continues in the same session if the backend can.

import { steadyClock, type Clock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import type { Json } from "../lib/json.ts";
import type {
  AgentCallContext,
  SubagentResult,
  SubagentSpawnOptions,
  WorkflowBridge,
} from "../workflows/graph/model/bridge.ts";
import type { AgentProgress, TurnPlace } from "./agent-progress.ts";
import type { AgentTool } from "./agent-tool.ts";
import { isTerminal, type ModelSubstituted, type TerminalEvent } from "./events.ts";
import { failureOf, type TurnFailure } from "./failures.ts";
import type { TurnLimits } from "./limits.ts";
import { withKnownModel } from "./model-families.ts";
import { createNamedSessions } from "./named-sessions.ts";
import { offerTo, type OfferedAgent } from "./offered-agents.ts";
import { preferredModel } from "./preferred-model.ts";
import { previousSession, sessionNote } from "./session-notes.ts";
import type { AgentClient, AgentDefinition, AgentSession, OpenOptions } from "./port.ts";
import { declineAll, type QuestionHandler, type QuestionItem } from "./questions.ts";
import { createRecordedUsage, usageFacts } from "./recorded-usage.ts";
import { createSemaphore } from "./semaphore.ts";
import { finishedTurn, turnNote } from "./turn-notes.ts";
import { unenforcedLimits } from "./unenforced-limits.ts";

export interface WorkflowBridgeOptions {
  readonly client: AgentClient;
  readonly cwd: string;
  /** The run's model; a node's own wins. */
  readonly model?: string | undefined;
  readonly isProjectTrusted?: boolean | undefined;
  readonly limits?: Partial<TurnLimits> | undefined;
  readonly concurrency?: number | undefined;
  /** Throws with a suggestion when there is no agent of that name. */
  readonly agent: (name: string) => AgentDefinition;
  /** The title of a workflow's task. */
  readonly taskTitle?: ((id: string) => string) | undefined;
  /** Agents that the running agent may start as its sub-agents, where the backend takes them. */
  readonly subagents?: readonly OfferedAgent[] | undefined;
  /** Offered to every session, where the backend takes them. */
  readonly tools?: readonly AgentTool[] | undefined;
  /** Ids of the run's named sessions from an earlier process. */
  readonly sessions?: Readonly<Record<string, string>> | undefined;
  readonly clock?: Clock | undefined;
  /** Everything that agents do, as it happens. */
  readonly onAgentEvent?: ((progress: AgentProgress) => void) | undefined;
  /** For turns of no node; a node's questions go through its visit. */
  readonly onQuestion?: QuestionHandler | undefined;
}

/** The result of 002, and why the turn failed in a form that retries can use. */
export interface AgentTurnResult extends SubagentResult {
  readonly failure?: TurnFailure | undefined;
}

export interface AgentWorkflowBridge extends WorkflowBridge {
  spawn(options: SubagentSpawnOptions, abortSignal?: AbortSignal): Promise<AgentTurnResult>;
  spawnParallel(list: readonly SubagentSpawnOptions[], abortSignal?: AbortSignal): Promise<AgentTurnResult[]>;
  /** Closes the run's sessions. The client stays open. */
  close(): Promise<void>;
}

/** Turns at the same time, where the caller sets no limit. */
const defaultConcurrency = 4;

export function createWorkflowBridge(options: WorkflowBridgeOptions): AgentWorkflowBridge {
  const { client } = options;
  const turnSlots = createSemaphore(options.concurrency ?? defaultConcurrency);
  const canResume = (): boolean => client.capabilities.resume === true;
  const named = createNamedSessions({ saved: options.sessions ?? {}, canResume });
  const reported = new Set<string>();
  const offer = offerTo(client, options.subagents ?? []);
  const ownTools = client.capabilities.inProcessTools === true ? (options.tools ?? []) : [];

  function openOptions(
    definition: AgentDefinition | undefined,
    model: string | undefined,
    cwd: string | undefined,
    resume: string | undefined,
  ): OpenOptions {
    return {
      cwd: cwd ?? options.cwd,
      model: model ?? definition?.model ?? options.model,
      agent: definition,
      subagents: offer.subagents,
      tools: ownTools,
      isProjectTrusted: options.isProjectTrusted,
      limits: options.limits,
      resume,
    };
  }

  /** A session that can't be continued is replaced by a new one: its work is on disk, only its memory is lost. */
  async function open(
    definition: AgentDefinition | undefined,
    model: string | undefined,
    cwd: string | undefined,
    resume: string | undefined,
    onLost: () => void,
  ): Promise<AgentSession> {
    if (resume !== undefined && canResume()) {
      try {
        return await client.open(openOptions(definition, model, cwd, resume));
      } catch (error) {
        if (!AtomicError.is(error, "AGENT_SESSION_UNKNOWN")) throw error;
      }
    }
    if (resume !== undefined) onLost();
    return client.open(openOptions(definition, model, cwd, undefined));
  }

  async function run(spawn: SubagentSpawnOptions, signal: AbortSignal | undefined): Promise<AgentTurnResult> {
    const { context, session: name } = spawn;
    const finished = spawn.isOnlyTurn === true && context !== undefined ? finishedTurn(context.attempt) : undefined;
    if (finished !== undefined) return finished as AgentTurnResult;
    const definition = await definitionOf(spawn);
    const previous = previousSession(client.kind, name, context?.attempt.previousNotes ?? []);
    const about = { agent: spawn.agent ?? client.kind, session: name ?? null };
    const onLost = (): void => context?.record({ type: "agent.session-lost", ...about });
    reportLimits(definition, spawn);
    reportOffer(context);
    const turn = async (session: AgentSession, instructions: string | undefined): Promise<AgentTurnResult> => {
      await context?.attempt.note(sessionNote(client.kind, name, session.id));
      const isContinued = previous !== undefined && session.id === previous;
      const prompt = promptOf(spawn.task, instructions, isContinued);
      return readTurn(session, prompt, spawn, definition, signal);
    };
    if (name !== undefined) {
      const openShared = (resume: string | undefined): Promise<AgentSession> =>
        open(definition, undefined, spawn.cwd, resume, onLost);
      const user = { agent: definition, previous, open: openShared, turn, onSeparated: onLost };
      return named.use(name, user, anyOf(signal, context?.signal));
    }
    const session = await open(definition, spawn.model, spawn.cwd, previous, onLost);
    try {
      return await turn(session, undefined);
    } finally {
      await session.close();
    }
  }

  /** What the definition limits and the backend can't enforce, once per agent or node: a user should know. */
  function reportLimits(definition: AgentDefinition | undefined, { agent, context }: SubagentSpawnOptions): void {
    const name = agent ?? context?.node;
    if (definition === undefined || name === undefined || reported.has(name)) return;
    for (const { limits, reason } of unenforcedLimits(definition, client.capabilities)) {
      reported.add(name);
      context?.record({ type: "agent.limits-ignored", agent: name, backend: client.kind, limits, reason });
    }
  }

  /** Once: it is the same for all sessions. */
  function reportOffer(context: AgentCallContext | undefined): void {
    if (offer.refused === undefined || context === undefined || reported.has("")) return;
    reported.add("");
    context.record({ type: "agent.subagents-ignored", backend: client.kind, ...offer.refused });
  }

  /** Once per agent and pair of models: it may happen in every turn. */
  function reportModel(
    agent: string,
    { asked, served }: ModelSubstituted,
    context: AgentCallContext | undefined,
  ): void {
    const name = JSON.stringify([agent, asked, served]);
    if (reported.has(name)) return;
    reported.add(name);
    context?.record({ type: "agent.model-substituted", agent, asked, served });
  }

  async function readTurn(
    session: AgentSession,
    prompt: string,
    spawn: SubagentSpawnOptions,
    definition: AgentDefinition | undefined,
    signal: AbortSignal | undefined,
  ): Promise<AgentTurnResult> {
    const { context, taskId } = spawn;
    const model = spawn.model ?? definition?.model ?? options.model;
    const about = {
      agent: spawn.agent ?? client.kind,
      backend: client.kind,
      session: spawn.session ?? null,
      task: taskId ?? null,
      ...(spawn.worker !== undefined && { worker: spawn.worker }),
    };
    const place: TurnPlace = {
      node: context?.node,
      key: context?.key,
      task: taskId,
      worker: spawn.worker,
      agent: about.agent,
      backend: client.kind,
      prompt,
    };
    const turn = session.turn(prompt, {
      signal: anyOf(signal, context?.signal),
      reportsCost: true,
      // A shared session may have been opened for an agent with another model.
      ...(spawn.session !== undefined && model !== session.model && { model }),
      task: taskId === undefined ? undefined : { id: taskId, title: options.taskTitle?.(taskId) ?? taskId },
      onQuestion: context === undefined ? (options.onQuestion ?? declineAll) : askThrough(context),
    });
    let turnId = "";
    const used = createRecordedUsage(options.clock ?? steadyClock, (usage) =>
      context?.record({ type: "agent.usage-reported", ...about, sessionId: session.id, turn: turnId, usage }),
    );
    for await (const event of turn) {
      turnId = event.turnId;
      options.onAgentEvent?.({ place, event });
      if (event.type === "turn.started")
        context?.record({
          type: "agent.turn-started",
          ...about,
          sessionId: session.id,
          turn: event.turnId,
          modelAsked: event.modelAsked ?? null,
        });
      if (event.type === "usage.reported") used.add(event.usage);
      if (event.type === "model.substituted") reportModel(about.agent, event, context);
      if (!isTerminal(event)) context?.progress(event.type, progressData(event));
      else {
        used.stop();
        const result = resultOf(event, session.id);
        context?.record({ type: "agent.turn-finished", ...about, ...finishedFacts(event) });
        // In one record: a turn that is reported as completed is not taken again.
        const note =
          result.success && spawn.isOnlyTurn === true && context !== undefined
            ? turnNote(result, context.attempt)
            : undefined;
        const noteSoon = spawn.endsItsStep === true ? context?.attempt.noteSoon : undefined;
        if (note !== undefined && noteSoon === undefined) await context?.attempt.note(note);
        else {
          if (note !== undefined) noteSoon?.(note);
          // What the turn cost must be on record before the next one is weighed against the run's limits.
          await context?.flush();
        }
        return result;
      }
    }
    throw new Error("a turn ended without its terminal event");
  }

  async function definitionOf(spawn: SubagentSpawnOptions): Promise<AgentDefinition | undefined> {
    const found = spawn.agent === undefined ? undefined : await withModel(options.agent(spawn.agent));
    if (spawn.systemPrompt === undefined && spawn.tools === undefined) return found;
    const prompt = [found?.prompt, spawn.systemPrompt].filter((part) => part !== undefined).join("\n\n");
    // Rules belong to the tools that they were written with.
    const limits = spawn.tools === undefined ? found : spawn;
    const { tools, toolRules } = limits ?? {};
    return { ...found, name: found?.name ?? "agent", prompt, tools, toolRules };
  }

  async function withModel(definition: AgentDefinition): Promise<AgentDefinition> {
    const { models, ...rest } = definition;
    if (models === undefined) return withKnownModel(definition, client.kind);
    return { ...rest, model: await preferredModel(models, client) };
  }

  /** For a look at a session of an earlier process, before a turn has used it here. */
  const continueSession = (resume: string): Promise<AgentSession> =>
    open(undefined, undefined, undefined, resume, () => undefined);

  const spawn = async (call: SubagentSpawnOptions, signal?: AbortSignal): Promise<AgentTurnResult> =>
    turnSlots
      .run(() => run(call, signal), anyOf(signal, call.context?.signal))
      .catch((thrown: unknown) => {
        // An author's mistake (an unknown name) and a request to stop are not results of a turn.
        if (!AtomicError.is(thrown, "AGENT_UNAVAILABLE") && !AtomicError.is(thrown, "AGENT_TURN_FAILED")) throw thrown;
        const failure = failureOf(thrown);
        const isUnavailable = AtomicError.is(thrown, "AGENT_UNAVAILABLE");
        return { success: false, output: "", error: failure.message, failure, isUnavailable };
      });

  return {
    spawn,
    spawnParallel: (list, signal) => Promise.all(list.map((call) => spawn(call, signal))),
    async contextUsage(name) {
      const session = await named.peek(name, continueSession);
      if (session === undefined || client.capabilities.contextUsage !== true) return undefined;
      const { usedTokens, maxTokens } = await session.contextUsage();
      return maxTokens === undefined ? undefined : { usedTokens, maxTokens };
    },
    clearSession: (name) => named.clear(name),
    async compactSession(name) {
      await (await named.peek(name, continueSession))?.compact();
    },
    close: () => named.closeAll(),
  };
}

/** Events are JSON except for absent properties, which no printer shows. Thousands pass here: they are not copied. */
function progressData(event: object): Json {
  return event as Json;
}

function promptOf(task: string, instructions: string | undefined, isContinued: boolean): string {
  const parts = isContinued
    ? [
        "You were interrupted while you worked on the following. Look at what is already done, and continue from there.",
        task,
      ]
    : [task];
  return [...(instructions === undefined ? [] : [instructions]), ...parts].join("\n\n");
}

function resultOf(end: TerminalEvent, sessionId: string): AgentTurnResult {
  const facts = { output: end.text, sessionId, modelUsed: end.modelServed, usage: end.usage };
  if (end.type === "turn.completed") return { success: true, ...facts };
  if (end.type === "turn.failed") return { success: false, ...facts, error: end.failure.message, failure: end.failure };
  return { success: false, ...facts, error: "The turn was interrupted." };
}

const outcomes = { "turn.completed": "completed", "turn.failed": "failed", "turn.interrupted": "interrupted" } as const;

function finishedFacts(end: TerminalEvent) {
  return {
    sessionId: end.sessionId,
    turn: end.turnId,
    outcome: outcomes[end.type],
    modelAsked: end.modelAsked ?? null,
    modelServed: end.modelServed ?? null,
    usage: usageFacts(end.usage),
    durationMs: end.durationMs,
    ...(end.type === "turn.failed" && {
      failure: {
        ...end.failure,
        resetAt: end.failure.resetAt ?? null,
        exitCode: end.failure.exitCode ?? null,
        status: end.failure.status ?? null,
      },
    }),
  };
}

/** An agent's question becomes the node's: one per item, in order. Nothing as an answer declines the whole. */
function askThrough(context: AgentCallContext): QuestionHandler {
  // Taken now: the agent's program asks from a callback that knows nothing of the step that its turn is part of.
  const { ask } = context;
  return async (question) => {
    const answers: string[][] = [];
    for (const item of question.items) {
      const values = answerValues(await ask(asNodeQuestion(item)));
      if (values.length === 0) return { type: "declined", reason: "declined" };
      answers.push(values);
    }
    return { type: "answered", answers };
  };
}

function asNodeQuestion(item: QuestionItem): Parameters<AgentCallContext["ask"]>[0] {
  return {
    text: item.text,
    ...(item.header !== undefined && { header: item.header }),
    ...(item.options.length > 0 && {
      options: item.options.map((option) => ({ ...option })),
      freeText: item.isFreeText,
      multiSelect: item.isMultiple,
    }),
    // With `--no-questions` an agent's question is declined and the agent continues.
    default: null,
  };
}

function answerValues(value: Json): string[] {
  if (value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
}

function anyOf(first: AbortSignal | undefined, second: AbortSignal | undefined): AbortSignal | undefined {
  // A node mostly hands over its own signal twice: each one that is made of it would stay with it for as long as it
  // lives.
  if (first === undefined || second === undefined || first === second) return first ?? second;
  return AbortSignal.any([first, second]);
}
