// A session of Copilot: the backend session behind the port. Owns the session in the program (opened again, by its id,
// when the program died or the session was given up), the current turn, and the selected model.

import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { BackendSession } from "../backend-session.ts";
import { turnError, turnFailure } from "../failures.ts";
import { classifyFailure } from "../limit-texts.ts";
import { defaultTurnLimits } from "../limits.ts";
import type { OpenOptions } from "../port.ts";
import type { BackendHost } from "../process/backend-host.ts";
import type { ProgramExit } from "../process/spawn-program.ts";
import type { ToolServer } from "../tool-servers.ts";
import { within } from "../within.ts";
import { answerQuestion } from "./copilot-questions.ts";
import type { CopilotRuntime } from "./copilot-runtime.ts";
import { createCopilotTurn, type CopilotTurn } from "./copilot-turn.ts";
import type { ModelSettings } from "./provider-settings.ts";
import { projectInstructionsFilter } from "./project-instructions.ts";
import { isSameCopilotModel } from "./same-model.ts";
import type { CopilotSessionApi, SessionConfig } from "./copilot-protocol.ts";
import { sessionConfig } from "./session-config.ts";
import { readAllAgents, readUserCustomization } from "./user-customization.ts";

export interface CopilotSessionOptions {
  readonly host: BackendHost;
  /** A running program; another one when the last has died. */
  readonly acquire: () => Promise<CopilotRuntime>;
  /** The session has left the program. */
  readonly release: (runtime: CopilotRuntime) => Promise<void>;
  readonly settings: ModelSettings;
  readonly open: OpenOptions;
}

/** A session that is open in a running program. */
interface OpenedSession {
  readonly runtime: CopilotRuntime;
  readonly session: CopilotSessionApi;
  readonly leaveOutInstructions: () => Promise<readonly string[]>;
}

/** The longest text that the program takes. */
const maxFocusChars = 4000;

export async function openCopilotSession(options: CopilotSessionOptions): Promise<BackendSession> {
  const { host, open, settings } = options;
  const model = open.model ?? open.agent?.model ?? settings.model;
  let notices: readonly string[] = [];
  let turn: CopilotTurn | undefined;
  let currentModel = model;
  let stopListening = (): void => {};
  let opened: OpenedSession | undefined = await connect(open.resume);
  const { sessionId } = opened.session;

  async function connect(resume: string | undefined, newId?: string): Promise<OpenedSession> {
    const runtime = await options.acquire();
    const user = open.isProjectTrusted === true ? undefined : await readUserCustomization(runtime.client);
    const found = user ?? (await agentsBeside(runtime));
    notices = found.problems;
    const config = sessionConfig({
      open,
      model,
      provider: settings.provider,
      user,
      foundAgents: found.agents,
      toolSignal: () => turn?.sink.signal,
      onQuestion: (question) => answerQuestion(question, turn?.sink),
    });
    const session = await openIn(runtime, config, resume, newId);
    stopListening();
    stopListening = runtime.listen(session.sessionId, (event) => turn?.read(event));
    void runtime.exited.then((exit) => {
      if (opened?.session === session) crash(runtime, exit);
    });
    currentModel = model;
    const leaveOutInstructions =
      open.isProjectTrusted === true ? async () => [] : projectInstructionsFilter(session, open.cwd);
    return { runtime, session, leaveOutInstructions };
  }

  async function agentsBeside({ client }: CopilotRuntime): ReturnType<typeof readAllAgents> {
    return open.subagents?.length ? readAllAgents(client, open.cwd) : { agents: [], problems: [] };
  }

  function crash(runtime: CopilotRuntime, exit: ProgramExit): void {
    opened = undefined;
    turn?.sink.streamEnded({ ...exit, stderr: runtime.stderr() });
  }

  /** The session, opened again when it is gone. One that never got to its first prompt is not stored anywhere. */
  async function ready(): Promise<OpenedSession> {
    if (opened?.runtime.isAlive === true) return opened;
    try {
      opened = await connect(sessionId);
    } catch (thrown) {
      if (open.resume !== undefined || !AtomicError.is(thrown, "AGENT_SESSION_UNKNOWN")) throw thrown;
      opened = await connect(undefined, sessionId);
    }
    return opened;
  }

  async function useModel(session: CopilotSessionApi, wanted: string | undefined): Promise<void> {
    // Back from a model of one turn to the program's own choice, which has a name too.
    const name = wanted ?? "auto";
    if (name === (currentModel ?? "auto")) return;
    await session.setModel(name).catch((thrown: unknown) => {
      throw turnError(turnFailure("refused", `Copilot does not take the model "${name}": ${messageOf(thrown)}`));
    });
    currentModel = wanted;
  }

  /** Commands in the background, and sub-agents: disconnecting alone leaves those that were detached. */
  async function endTasks({ rpc }: CopilotSessionApi): Promise<void> {
    const { tasks } = await rpc.tasks.list();
    await Promise.all(tasks.map(({ id }) => rpc.tasks.cancel({ id })));
  }

  /** Leaves the session in the program; ends the program when it does not answer. */
  async function leave(limitMs: number): Promise<void> {
    if (opened === undefined) return;
    const { runtime, session } = opened;
    opened = undefined;
    stopListening();
    if (!runtime.isAlive) return;
    const disconnect = async (): Promise<void> => {
      await Promise.allSettled([session.abort(), endTasks(session)]);
      await session.disconnect();
    };
    const leaving = disconnect();
    const isLeft = await within(leaving, limitMs, host.clock);
    if (
      !isLeft ||
      (await leaving.then(
        () => false,
        () => true,
      ))
    )
      await runtime.stop(1000);
    await options.release(runtime);
  }

  return {
    id: sessionId,
    model,
    isSameModel: isSameCopilotModel,
    async start(prompt, sink, turnOptions) {
      const { runtime, session, leaveOutInstructions } = await ready();
      await useModel(session, turnOptions.model ?? model);
      notices = [...notices, ...(await leaveOutInstructions())];
      if (sink.signal.aborted) return sink.interrupted();
      for (const message of notices) sink.emit({ type: "notice.raised", level: "warning", message });
      notices = [];
      turn = createCopilotTurn({
        sink,
        prompt,
        clock: host.clock,
        isOnlyBackgroundLeft: () => isOnlyBackgroundLeft(session),
        abortAgain: () => void session.abort().catch(() => {}),
      });
      try {
        turn.sent(await session.send({ prompt }));
      } catch (thrown) {
        // A connection that broke says less than the program's exit, which comes a moment later.
        await within(runtime.exited, 1000, host.clock);
        if (runtime.isAlive && opened?.session === session) await leave(2000);
        throw thrown;
      }
    },
    async interrupt() {
      turn?.interrupt();
      await opened?.session.abort();
    },
    async abandon() {
      turn = undefined;
      await leave(4000);
    },
    async compact(focus) {
      const { session } = await ready();
      const { success, tokensRemoved, contextWindow, summaryContent } = await session.rpc.history
        .compact(focus === undefined ? {} : { customInstructions: focus.slice(0, maxFocusChars) })
        .catch((thrown: unknown) => {
          throw turnError(classifyFailure(messageOf(thrown), { now: host.clock.now() }));
        });
      if (!success) throw turnError(turnFailure("refused", "Copilot could not compact its context."));
      const afterTokens = contextWindow?.currentTokens;
      const beforeTokens = afterTokens === undefined ? undefined : afterTokens + tokensRemoved;
      return { afterTokens, beforeTokens, summary: summaryContent };
    },
    async contextUsage() {
      const { session } = await ready();
      // Zeros: the limits of the model that the session uses.
      const { contextInfo } = await session.rpc.metadata.contextInfo({ promptTokenLimit: 0, outputTokenLimit: 0 });
      return { usedTokens: contextInfo?.totalTokens ?? 0, maxTokens: contextInfo?.limit };
    },
    servers: {
      list: async () => listServers((await ready()).session),
      async switch(serverName, isOn) {
        const { mcp } = (await ready()).session.rpc;
        await (isOn ? mcp.enable({ serverName }) : mcp.disable({ serverName }));
      },
    },
    async close() {
      await leave((open.limits?.closeMs ?? defaultTurnLimits.closeMs) / 2);
    },
  };
}

/** Its list has no tools; it is asked for them server by server. */
async function listServers({ rpc: { mcp } }: CopilotSessionApi): Promise<readonly ToolServer[]> {
  const { servers } = await mcp.list();
  return Promise.all(
    servers.map(async ({ name, status, error }) => {
      if (status !== "connected") return { name, status, error };
      const { tools } = await mcp.listTools({ serverName: name });
      return { name, status, error, tools: tools.map((tool) => tool.name) };
    }),
  );
}

/** Throws AGENT_SESSION_UNKNOWN, or AGENT_UNAVAILABLE with what the program says. */
async function openIn(
  { client }: CopilotRuntime,
  config: SessionConfig,
  resume: string | undefined,
  newId: string | undefined,
): Promise<CopilotSessionApi> {
  try {
    if (resume !== undefined) return await client.resumeSession(resume, config);
    return await client.createSession({ ...config, ...(newId !== undefined && { sessionId: newId }) });
  } catch (thrown) {
    const message = messageOf(thrown);
    if (resume !== undefined && /session not found|invalid sessionId/i.test(message))
      throw new AtomicError("AGENT_SESSION_UNKNOWN", `Copilot has no session ${resume}. Start a new one.`, {
        cause: thrown,
        details: { agent: "copilot", session: resume },
      });
    throw new AtomicError("AGENT_UNAVAILABLE", `Copilot can't open a session: ${message}`, { cause: thrown });
  }
}

/** A command that runs in the background keeps the session from being idle; it must not keep the turn. */
async function isOnlyBackgroundLeft({ rpc }: CopilotSessionApi): Promise<boolean> {
  const [{ tasks }, { hasActiveWork }] = await Promise.all([rpc.tasks.list(), rpc.metadata.activity()]);
  const running = tasks.filter(({ status }) => status === "running");
  return !hasActiveWork && running.length > 0 && running.every(({ type }) => type === "shell");
}
