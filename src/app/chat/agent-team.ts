// Several named agents that take the same task at the same time, as one turn: each has a separate session and is shown
// as a sub-agent. The turn completes when all of them did.

import { isTerminal, type AgentEvent, type TerminalEvent } from "../../agents/events.ts";
import { questionGone } from "../../agents/open-questions.ts";
import type { AgentSession } from "../../agents/port.ts";
import { addUsage, noUsage } from "../../agents/usage.ts";
import { Channel } from "../../lib/channel.ts";

export interface TeamMember {
  readonly name: string;
  readonly session: Pick<AgentSession, "id" | "turn" | "answer" | "close">;
}

export type TeamSession = Pick<AgentSession, "id" | "model" | "turn" | "answer" | "close">;

/** `id`: of the team, which no agent knows. */
export function createTeam(id: string, members: readonly TeamMember[]): TeamSession {
  const asked = new Map<string, TeamMember>();
  const ids = { sessionId: id, turnId: id };

  async function follow(
    { name, session }: TeamMember,
    prompt: string,
    options: Parameters<AgentSession["turn"]>[1],
    events: Channel<AgentEvent>,
  ): Promise<TerminalEvent> {
    const agentId = session.id;
    const own = { ...ids, agentId };
    await events.push({
      ...own,
      type: "subagent.started",
      parentId: undefined,
      name,
      task: prompt,
      isBackground: false,
    });
    for await (const event of session.turn(prompt, options)) {
      if (event.type === "question.asked") asked.set(event.question.id, { name, session });
      if (isTerminal(event)) {
        const text = event.type === "turn.failed" ? event.failure.message : event.text;
        const outcome = outcomeOf(event);
        await events.push({ ...own, type: "subagent.finished", outcome, text });
        return event;
      }
      if (isForwarded(event)) await events.push({ ...event, ...own });
    }
    throw new Error("a turn ended without its terminal event");
  }

  return {
    id,
    model: undefined,
    async *turn(prompt, options) {
      const events = new Channel<AgentEvent>();
      yield { ...ids, type: "turn.started", agent: names(members), modelAsked: undefined };
      const all = Promise.all(members.map((member) => follow(member, prompt, options, events))).finally(() =>
        events.close(),
      );
      // Read below, after the last event.
      all.catch(() => undefined);
      for (let event = await events.take(); event !== undefined; event = await events.take()) yield event;
      yield endOf(await all);
    },
    answer(questionId, reply) {
      const member = asked.get(questionId);
      if (member === undefined) throw questionGone(questionId);
      member.session.answer(questionId, reply);
    },
    async close() {
      await Promise.all(members.map(({ session }) => session.close()));
    },
  };

  function endOf(ends: readonly TerminalEvent[]): TerminalEvent {
    const worst = ends.find(({ type }) => type === "turn.failed") ?? ends.find(({ type }) => type !== "turn.completed");
    const [first] = ends;
    const end = worst ?? first;
    if (end === undefined) throw new Error("a team has at least one member");
    return {
      ...end,
      ...ids,
      text: ends.map(({ text }) => text).join("\n\n"),
      usage: ends.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
      durationMs: Math.max(...ends.map(({ durationMs }) => durationMs)),
    };
  }
}

function names(members: readonly TeamMember[]): string {
  return members.map(({ name }) => name).join(", ");
}

function outcomeOf({ type }: TerminalEvent): "completed" | "failed" | "interrupted" {
  return type === "turn.completed" ? "completed" : type === "turn.failed" ? "failed" : "interrupted";
}

/** What is shown of a sub-agent. What its own sub-agents do is inside its one line. */
function isForwarded(event: AgentEvent): boolean {
  switch (event.type) {
    case "question.asked":
    case "question.answered":
    case "question.declined":
    case "usage.reported":
    case "notice.raised":
      return true;
    case "tool.started":
    case "tool.progressed":
    case "tool.finished":
      return event.agentId === undefined;
    default:
      return false;
  }
}
