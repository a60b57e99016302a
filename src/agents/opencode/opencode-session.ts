// A session of OpenCode as the port's guard drives it. The session lives in OpenCode's own storage; the server that
// serves it may die and be started anew between two turns.

import type { Clock } from "../../lib/clock.ts";
import type { BackendSession } from "../backend-session.ts";
import { turnError, turnFailure } from "../failures.ts";
import { defaultTurnLimits } from "../limits.ts";
import type { OpenOptions } from "../port.ts";
import { within } from "../within.ts";
import type { Follower, Following } from "./folder.ts";
import { contextWindow, isSameModel, resolveModel } from "./models.ts";
import { failureOfError } from "./opencode-failure.ts";
import type { ServerConnection } from "./opencode-server.ts";
import { createOpencodeTurn, type OpencodeTurn, type RetryLimits } from "./opencode-turn.ts";
import { contextTokens } from "./session-report.ts";
import type { Provider } from "./wire-requests.ts";
import type { OpencodeAssistantMessage, SessionTranscript } from "./wire.ts";

export interface OpencodeSessionOptions {
  readonly id: string;
  readonly open: OpenOptions;
  /** Where it is served now. */
  readonly connection: ServerConnection;
  /** Takes a connection at a living server. */
  readonly connect: () => Promise<ServerConnection>;
  /** The prompts of a session that is continued. */
  readonly seenPrompts: Set<string>;
  readonly clock: Clock;
  readonly retries: RetryLimits;
}

const abortLimitMs = 5000;
/** Enough to find the newest answer. */
const recentMessages = 50;

export function createOpencodeSession(options: OpencodeSessionOptions): BackendSession {
  const { id, open, clock, seenPrompts } = options;
  let connection = options.connection;
  let turn: OpencodeTurn | undefined;
  let onServerLost: (() => void) | undefined;
  let providers: Promise<readonly Provider[]> | undefined;

  const running = (): OpencodeTurn | undefined => (turn?.isOver === false ? turn : undefined);

  const follower: Follower = {
    onEvent(event) {
      const current = running();
      if (current !== undefined) return current.onEvent(event);
      // Events between turns, for example of a compaction, must not be attributed to the next turn.
      if (event.type === "message.updated" && event.message.role === "user") seenPrompts.add(event.message.id);
    },
    onNotice: (message) => running()?.onNotice(message),
    onGap: () =>
      void running()
        ?.catchUp()
        .catch(() => {}),
    onLost: () => onServerLost?.(),
  };

  let following: Following = connection.follow(id, follower);

  /** The connection, at another server when the one there was has died. */
  async function connect(): Promise<ServerConnection> {
    if (connection.server.isAlive) return connection;
    following.stop();
    providers = undefined;
    connection = await options.connect();
    following = connection.follow(id, follower);
    return connection;
  }

  async function listProviders(): Promise<readonly Provider[]> {
    const { api } = await connect();
    providers ??= api.providers();
    providers.catch(() => (providers = undefined));
    return providers;
  }

  async function newest(): Promise<SessionTranscript> {
    return (await connect()).api.transcript(id, recentMessages);
  }

  async function contextUsage(): ReturnType<BackendSession["contextUsage"]> {
    const answer = newestAnswer(await newest(), ({ tokens }) => contextTokens(tokens) > 0);
    if (answer === undefined) return { usedTokens: 0 };
    // After a compaction the summary is what is left.
    const usedTokens = answer.isSummary ? answer.tokens.output : contextTokens(answer.tokens);
    return { usedTokens, maxTokens: contextWindow(await listProviders(), answer) };
  }

  return {
    id,
    model: open.model ?? open.agent?.model,
    isSameModel,
    async start(prompt, sink, turnOptions) {
      turn = undefined;
      const { api, server } = await connect();
      const asked = turnOptions.model ?? open.model ?? open.agent?.model;
      const model = asked === undefined ? undefined : await resolveModel(asked, listProviders);
      if (sink.signal.aborted) return sink.interrupted();
      onServerLost = () => {
        const exit = server.exit();
        sink.streamEnded({ exitCode: exit?.exitCode, signal: exit?.signal, stderr: exit?.stderr });
      };
      // It may have died since it was looked at.
      if (!server.isAlive) return onServerLost();
      turn = createOpencodeTurn({
        api,
        sessionId: id,
        seenPrompts,
        sink,
        clock,
        retries: options.retries,
        onSession: (child) => following.adopt(child),
      });
      const system = open.agent?.prompt;
      await turn.begin({ text: prompt, model, ...(system !== undefined && system !== "" && { system }) });
    },
    interrupt: () => turn?.interrupt(),
    async abandon() {
      turn = undefined;
      if (!connection.server.isAlive) return;
      let isAborted = false;
      await within(
        connection.api.abort(id).then(() => (isAborted = true)),
        abortLimitMs,
        clock,
      );
      // A server that can't stop a turn is of no use to the other sessions either.
      if (!isAborted) await connection.server.stop();
    },
    async compact(focus) {
      turn = undefined;
      const { api } = await connect();
      const before = await newest();
      const last = before.findLast(({ info }) => info.role === "user")?.info;
      if (last?.role !== "user") return {};
      const beforeTokens = (await contextUsage()).usedTokens;
      // OpenCode takes no focus; the model that writes the summary sees this as the user's last message.
      if (focus !== undefined && focus.trim() !== "")
        await api.note(id, `When you summarise this conversation, keep above all: ${focus}`);
      await api.summarize(id, last.model, open.limits?.compactMs ?? defaultTurnLimits.compactMs);
      const after = await newest();
      const summary = newestAnswer(after, () => true);
      if (summary?.error !== undefined) throw turnError(failureOfError(summary.error, clock.now()));
      if (summary?.isSummary !== true)
        throw turnError(turnFailure("invalid_output", "OpenCode was asked for a summary and wrote none."));
      return { beforeTokens, summary: textOfMessage(after, summary.id) };
    },
    contextUsage,
    servers: {
      list: async () => (await connect()).api.servers(),
      switch: async (name, isOn) => (await connect()).api.switchServer(name, isOn),
    },
    async close() {
      following.stop();
      await connection.leave();
    },
  };
}

function textOfMessage(transcript: SessionTranscript, id: string): string {
  const parts = transcript.find(({ info }) => info.id === id)?.parts ?? [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function newestAnswer(
  transcript: SessionTranscript,
  isWanted: (answer: OpencodeAssistantMessage) => boolean,
): OpencodeAssistantMessage | undefined {
  for (const { info } of transcript.toReversed()) if (info.role === "assistant" && isWanted(info)) return info;
  return undefined;
}
