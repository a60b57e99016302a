// A session of Claude: the backend session behind the port. Owns the process (started again, by the session's id, when
// it died or was killed), the one operation in progress, and the selected model.

import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { BackendSession, TurnSink } from "../backend-session.ts";
import { textIn } from "../fields.ts";
import { failureOf, turnError, turnFailure } from "../failures.ts";
import { defaultTurnLimits } from "../limits.ts";
import type { OpenOptions, TurnOptions } from "../port.ts";
import type { BackendHost } from "../process/backend-host.ts";
import { createToolProtocol } from "../tool-protocol.ts";
import { streamEndMessage } from "../turn-texts.ts";
import { orLate } from "../within.ts";
import type { CanUseTool } from "./claude-control.ts";
import { claudeLaunch, type SessionStart } from "./claude-launch.ts";
import { startClaudeProcess, type ClaudeModel, type ClaudeProcess, type ProcessEnd } from "./claude-process.ts";
import { claudeEnvironment } from "./claude-program.ts";
import { createClaudeTurn, unreadableMessage, type ClaudeTurn } from "./claude-turn.ts";
import { compactPrompt, createCompaction, type Compaction } from "./compaction.ts";
import { isKnownMessage, type ClaudeMessage } from "./read-messages.ts";
import { isSameClaudeModel } from "./same-model.ts";
import { claudeToolNames } from "./tool-names.ts";
import { createUsageMeter } from "./usage-meter.ts";

export interface ClaudeSessionOptions {
  readonly host: BackendHost;
  readonly program: string;
  /** Rejects when the program can't work; asked once for all sessions. */
  readonly isUsable: Promise<unknown>;
  readonly open: OpenOptions;
  readonly onStarted: (models: readonly ClaudeModel[]) => void;
  /** Aborts when the client is closed. */
  readonly signal: AbortSignal;
}

type Activity =
  | { readonly type: "turn"; readonly turn: ClaudeTurn; readonly onEnd: (end: ProcessEnd) => void }
  | { readonly type: "compaction"; readonly compaction: Compaction };

/** Longer than the program takes to write its transcript and end its tools. */
const graceMs = 4000;

export async function openClaudeSession(options: ClaudeSessionOptions): Promise<BackendSession> {
  const { host, open } = options;
  const id = open.resume ?? host.newId();
  const model = open.model ?? open.agent?.model;
  const meter = createUsageMeter();
  /** Tools with rules: what these allow is not asked for. */
  const ruledTools = new Set(claudeToolNames(Object.keys(open.agent?.toolRules ?? {})));
  let models: ReadonlyMap<string, string> = new Map();
  let activity: Activity | undefined;
  let currentModel = model;
  let isClosed = false;
  let current = await start(open.resume === undefined ? { sessionId: id } : { resume: id });

  async function start(how: SessionStart): Promise<ClaudeProcess> {
    currentModel = model;
    const started = await startClaudeProcess({
      host,
      program: options.program,
      cwd: open.cwd,
      env: claudeEnvironment(host),
      launch: claudeLaunch(open, how, model),
      resume: "resume" in how ? how.resume : undefined,
      canUseTool,
      tools: open.tools === undefined || open.tools.length === 0 ? undefined : createToolProtocol(open.tools),
      isUsable: options.isUsable,
      startLimitMs: open.limits?.openMs ?? defaultTurnLimits.openMs,
      signal: options.signal,
      onMessage,
      onHook(input) {
        const summary = textIn(input, "compact_summary");
        if (summary !== undefined && activity?.type === "compaction") activity.compaction.summarized(summary);
      },
      onEnd,
    });
    models = resolvedModels(started.models);
    options.onStarted(started.models);
    meter.restart("resume" in how ? await storedTotals(started) : {});
    if (isClosed) await started.stop(graceMs);
    return started;
  }

  /** The process, started again when it is gone. A session that never got to its first prompt is not stored anywhere. */
  async function running(): Promise<ClaudeProcess> {
    if (current.isAlive) return current;
    try {
      current = await start({ resume: id });
    } catch (thrown) {
      if (open.resume !== undefined || !AtomicError.is(thrown, "AGENT_SESSION_UNKNOWN")) throw thrown;
      current = await start({ sessionId: id });
    }
    return current;
  }

  /** What the stored session used so far; undefined when the program does not say in time. */
  async function storedTotals(claude: ClaudeProcess): Promise<Parameters<typeof meter.restart>[0]> {
    return orLate(claude.sessionUsage(), 5000, host.clock, () => new Error("late")).catch(() => undefined);
  }

  async function useModel(claude: ClaudeProcess, wanted: string | undefined): Promise<void> {
    if (wanted === currentModel) return;
    await claude.setModel(wanted).catch((thrown: unknown) => {
      const name = wanted ?? "default";
      throw turnError(turnFailure("refused", `Claude does not take the model "${name}": ${messageOf(thrown)}`));
    });
    currentModel = wanted;
  }

  function onMessage(message: unknown): void {
    const known = isKnownMessage(message) ? message : undefined;
    // Between turns the program may continue by itself when a background command ends. What it uses then is counted
    // with the next turn.
    if (activity?.type === "turn" && !activity.turn.isOver) activity.turn.read(known);
    else if (activity?.type === "compaction") readCompaction(activity.compaction, known);
  }

  function readCompaction(compaction: Compaction, message: ClaudeMessage | undefined): void {
    try {
      compaction.read(message);
    } catch (thrown) {
      compaction.fail(turnError(turnFailure("invalid_output", unreadableMessage(thrown))));
    }
  }

  function onEnd(end: ProcessEnd): void {
    if (activity?.type === "turn") activity.onEnd(end);
    else if (activity?.type === "compaction")
      activity.compaction.fail(turnError(turnFailure("crashed", streamEndMessage("claude", end))));
  }

  async function begin(prompt: string, sink: TurnSink, turnOptions: TurnOptions, isAgain = false): Promise<void> {
    const claude = await running();
    await useModel(claude, turnOptions.model ?? model);
    if (sink.signal.aborted) return sink.interrupted();
    const promptId = crypto.randomUUID();
    const turn = createClaudeTurn({
      sink,
      promptId,
      meter,
      askTotals: turnOptions.reportsCost === true ? () => claude.sessionUsage() : undefined,
      clock: host.clock,
      interruptAgain: () => void claude.interrupt().catch(() => {}),
    });
    const ended = (end: ProcessEnd): void => {
      // It died unnoticed before it got the prompt, which must be sent again.
      if (turn.isHeard || isAgain) return sink.streamEnded(end);
      begin(prompt, sink, turnOptions, true).catch((thrown: unknown) => sink.fail(failureOf(thrown)));
    };
    activity = { type: "turn", turn, onEnd: ended };
    claude.send(promptId, prompt);
  }

  async function canUseTool(...[toolName, input, context]: Parameters<CanUseTool>): ReturnType<CanUseTool> {
    if (ruledTools.has(toolName)) return { behavior: "deny", message: "The rules of this agent don't allow it." };
    if (activity?.type === "turn" && !activity.turn.isOver) return activity.turn.canUseTool(toolName, input, context);
    return { behavior: "deny", message: "No one is there to answer. Continue without an answer." };
  }

  return {
    id,
    model,
    isSameModel: (asked, served) => isSameClaudeModel(asked, served, models),
    start: (prompt, sink, turnOptions) => begin(prompt, sink, turnOptions),
    async interrupt() {
      if (activity?.type === "turn") activity.turn.interrupt();
      if (current.isAlive) await current.interrupt();
    },
    async abandon() {
      activity = undefined;
      await current.stop(1000);
    },
    async compact(focus) {
      const claude = await running();
      const compaction = createCompaction(meter, () => host.clock.now());
      activity = { type: "compaction", compaction };
      claude.send(crypto.randomUUID(), compactPrompt(focus));
      try {
        return await compaction.result;
      } finally {
        activity = undefined;
      }
    },
    async contextUsage() {
      return (await running()).contextUsage();
    },
    servers: {
      list: async () => (await running()).servers(),
      switch: async (name, isOn) => (await running()).switchServer(name, isOn),
    },
    async close() {
      isClosed = true;
      await current.stop(Math.min(graceMs, (open.limits?.closeMs ?? defaultTurnLimits.closeMs) / 2));
    },
  };
}

function resolvedModels(models: readonly ClaudeModel[]): ReadonlyMap<string, string> {
  return new Map(
    models.flatMap(({ value, resolvedModel }) => (resolvedModel === undefined ? [] : [[value, resolvedModel]])),
  );
}
