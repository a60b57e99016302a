// A session of an ACP agent: the backend session behind the port. Each session has a separate process, which keeps
// agents that were made for one session at a time apart, and lets one end with everything it started. Owns the process
// (started again by the session's id if the agent can), the current turn, and the selected model.

import { AtomicError, messageOf } from "../../lib/errors.ts";
import { checkOpenOptions } from "../check-open.ts";
import type { BackendSession } from "../backend-session.ts";
import { turnError, turnFailure } from "../failures.ts";
import { fieldsIn, listIn, numberIn, textIn, type Fields } from "../fields.ts";
import { defaultTurnLimits } from "../limits.ts";
import { startToolServer, type LocalToolServer } from "../tool-server.ts";
import type { ContextUsage, OpenOptions } from "../port.ts";
import type { BackendHost } from "../process/backend-host.ts";
import { noUsage, type Usage } from "../usage.ts";
import { within } from "../within.ts";
import { has, type AcpCapabilities } from "./acp-capabilities.ts";
import { startAcpConnection, type AcpConnection } from "./acp-connection.ts";
import { brokenAgent, openError, promptFailure } from "./acp-failures.ts";
import { rpcErrorText } from "./error-data.ts";
import { formAnswer, readForm } from "./acp-questions.ts";
import { createAcpTurn, type AcpTurn } from "./acp-turn.ts";
import { habitsOf } from "./agent-habits.ts";
import { approve, cancelled } from "./permission.ts";
import { readSessionSettings, type SessionSettings } from "./session-settings.ts";

export interface AcpSessionOptions {
  readonly host: BackendHost;
  readonly kind: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly open: OpenOptions;
  readonly capabilities: AcpCapabilities;
  readonly onSettings: (settings: SessionSettings) => void;
  /** Ends the session's program, also one that has not opened the session yet. */
  readonly signal: AbortSignal;
}

interface OpenedSession {
  readonly connection: AcpConnection;
  readonly sessionId: string;
  readonly settings: SessionSettings;
}

const graceMs = 3000;

export async function openAcpSession(options: AcpSessionOptions): Promise<BackendSession> {
  const { host, kind, open, capabilities } = options;
  const model = open.model ?? open.agent?.model;
  const toolServer = (open.tools ?? []).length > 0 ? await startToolServer(open.tools ?? []) : undefined;
  let turn: AcpTurn | undefined;
  let context: ContextUsage = { usedTokens: 0 };
  let currentModel: string | undefined;
  /** What the session has cost so far; unknown when it began before this process. */
  let cost: number | undefined = open.resume === undefined ? 0 : undefined;
  /** What the agent counted so far, where it counts the whole session. */
  let counted: Usage = noUsage;
  /** The prompt that the agent works on; settled when it works on none. */
  let prompting: Promise<unknown> = Promise.resolve();
  /** The instructions of the session, until they were sent along with a prompt. */
  let instructions = open.agent?.prompt ?? "";
  let opened: OpenedSession | undefined;
  try {
    opened = await connect(open.resume);
  } catch (thrown) {
    await toolServer?.close();
    throw thrown;
  }
  const { sessionId } = opened;

  async function connect(resume: string | undefined): Promise<OpenedSession> {
    const connection = await startAcpConnection({
      ...options,
      cwd: open.cwd,
      reaches: toolServer === undefined ? [] : [toolServer.port],
      onNotification: (method, params) => method === "session/update" && onUpdate(params),
      onRequest,
      onNonsense,
    });
    capabilities.initialized(connection.agent);
    try {
      checkOpenOptions({ kind, capabilities: capabilities.current }, open);
      const session = await openIn(connection, resume);
      currentModel = session.settings.currentModel;
      options.onSettings(session.settings);
      if (model !== undefined) checkOpenOptions({ kind, capabilities: capabilities.current }, open);
      void connection.exited.then((exit) => {
        if (opened?.connection === connection) turn?.sink.streamEnded({ ...exit, stderr: connection.stderr() });
      });
      return session;
    } catch (thrown) {
      await connection.stop(graceMs);
      throw AtomicError.is(thrown) ? thrown : brokenAgent(thrown, options, [connection.stderr()]);
    }
  }

  async function openIn(connection: AcpConnection, resume: string | undefined): Promise<OpenedSession> {
    const can = fieldsIn(fieldsIn(connection.agent, "agentCapabilities"), "sessionCapabilities");
    const canPrompt = instructions !== "" && has(can, "systemPrompt");
    const params = {
      cwd: open.cwd,
      mcpServers: mcpServers(toolServer),
      ...(canPrompt && { systemPrompt: { mode: "append", content: [{ type: "text", text: instructions }] } }),
    };
    const method = resume === undefined ? "session/new" : has(can, "resume") ? "session/resume" : "session/load";
    const answer = await connection.peer.request(
      method,
      resume === undefined ? params : { ...params, sessionId: resume },
    );
    if ("error" in answer) {
      const logins = listIn(connection.agent, "authMethods").map((way) => textIn(way, "name") ?? "");
      throw openError(kind, answer.error, resume, logins);
    }
    if (canPrompt) instructions = "";
    const id = resume ?? textIn(answer.result, "sessionId");
    if (id === undefined) throw new AtomicError("AGENT_UNAVAILABLE", `"${kind}" opened a session without an id.`);
    return { connection, sessionId: id, settings: readSessionSettings(answer.result) };
  }

  function onUpdate(params: Fields): void {
    const update = fieldsIn(params, "update");
    const from = textIn(params, "sessionId") ?? "";
    const type = textIn(update, "sessionUpdate");
    if (type === "available_commands_update")
      capabilities.commands(listIn(update, "availableCommands").map((command) => textIn(command, "name") ?? ""));
    if (type === "usage_update" && from === opened?.sessionId)
      context = { usedTokens: numberIn(update, "used") ?? 0, maxTokens: numberIn(update, "size") };
    turn?.read(from, update);
  }

  function onRequest(method: string, params: Fields): Promise<object> | undefined {
    const asking = turn === undefined || turn.sink.isOver || turn.sink.signal.aborted ? undefined : turn;
    switch (method) {
      case "session/request_permission":
        return Promise.resolve(asking === undefined ? cancelled : approve(params));
      case "elicitation/create":
        return askPerson(params, asking);
      default:
        return undefined;
    }
  }

  async function askPerson(params: Fields, asking: AcpTurn | undefined): Promise<object> {
    const form = readForm(params);
    if (asking === undefined || form === undefined) return { action: "cancel" };
    const agentId = asking.agentOf(textIn(params, "sessionId") ?? "");
    return formAnswer(form, await asking.sink.ask({ agentId, items: form.items }));
  }

  function onNonsense(sample: string): void {
    const message = `The agent "${kind}" says something that can't be understood: ${JSON.stringify(sample.slice(0, 300))}`;
    turn?.sink.fail(turnFailure("invalid_output", message));
    void opened?.connection.stop(graceMs);
  }

  /** The session, opened again when its process is gone. */
  async function ready(): Promise<OpenedSession> {
    if (opened?.connection.isAlive === true) return opened;
    if (capabilities.current.resume !== true)
      throw turnError(
        turnFailure("refused", `The agent "${kind}" has ended and can't continue a session. Open another one.`),
      );
    cost = undefined;
    counted = noUsage;
    opened = await connect(sessionId);
    return opened;
  }

  async function useModel({ connection, settings }: OpenedSession, wanted: string | undefined): Promise<void> {
    const name = wanted ?? settings.currentModel;
    if (name === undefined || name === currentModel) return;
    const { method, params } = settings.modelRequest(sessionId, name);
    const answer = await connection.peer.request(method, params);
    if ("error" in answer)
      throw turnError(
        turnFailure("refused", `"${kind}" does not take the model "${name}": ${rpcErrorText(answer.error)}`),
      );
    currentModel = name;
  }

  /** Sub-agents continue if only their parent is stopped. */
  function cancel({ connection: { peer } }: OpenedSession): void {
    for (const child of turn?.children ?? []) peer.notify("session/cancel", { sessionId: child });
    peer.notify("session/cancel", { sessionId });
  }

  return {
    id: sessionId,
    model,
    // The protocol never says who answered.
    isSameModel: () => true,
    async start(prompt, sink, turnOptions) {
      const session = await ready();
      await useModel(session, turnOptions.model ?? model);
      if (sink.signal.aborted) return sink.interrupted();
      const habits = habitsOf(session.connection.agent);
      const current = createAcpTurn({
        sink,
        sessionId,
        now: () => host.clock.now(),
        capabilities,
        costBefore: cost,
        usageBefore: habits.totalsUsage ? counted : undefined,
        marksRemarks: habits.marksRemarks,
      });
      turn = current;
      const text = instructions === "" ? prompt : `${instructions}\n\n${prompt}`;
      instructions = "";
      const { peer } = session.connection;
      const prompted = peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
      // Rejects only when the connection has ended.
      const answering = prompted.catch(() => undefined);
      prompting = answering;
      try {
        const answer = await answering;
        if (answer !== undefined) return current.answered(answer);
        // How it ended is known better from the program's exit, which has ended the turn or will.
        await within(session.connection.exited, 1000, host.clock);
        sink.streamEnded({ stderr: session.connection.stderr() });
      } finally {
        cost = current.cost;
        counted = current.counted ?? counted;
      }
    },
    interrupt() {
      if (opened !== undefined) cancel(opened);
    },
    async abandon() {
      if (opened === undefined) return;
      cancel(opened);
      // A process that gives in is kept: not every agent can continue a session in another one.
      if (!(await within(prompting, 2000, host.clock))) await opened.connection.stop(1000);
    },
    async compact(focus) {
      const { connection } = await ready();
      const before = context.usedTokens;
      const text = focus === undefined ? "/compact" : `/compact ${focus}`;
      const answer = await connection.peer
        .request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
        .catch((thrown: unknown) => {
          throw turnError(turnFailure("crashed", messageOf(thrown)));
        });
      if ("error" in answer) throw turnError(promptFailure(answer.error, host.clock.now()));
      return { beforeTokens: before, afterTokens: context.usedTokens };
    },
    contextUsage: async () => context,
    async close() {
      const limitMs = open.limits?.closeMs ?? defaultTurnLimits.closeMs;
      if (opened?.connection.isAlive === true) {
        cancel(opened);
        const closing = opened.connection.peer.request("session/close", { sessionId });
        await within(closing, Math.min(1000, limitMs / 4), host.clock);
      }
      await Promise.all([opened?.connection.stop(Math.min(graceMs, limitMs / 2)), toolServer?.close()]);
    },
  };
}

function mcpServers(server: LocalToolServer | undefined): readonly object[] {
  if (server === undefined) return [];
  const headers = Object.entries(server.headers).map(([name, value]) => ({ name, value }));
  return [{ type: "http", name: "atomic", url: server.url, headers }];
}
