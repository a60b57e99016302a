// The sub-agents of a turn: separate sessions, each tied to the `task` call that runs it. One that is continued by a
// later call is a new sub-agent for the reader, because the earlier one has ended.

import type { TurnSink } from "../backend-session.ts";
import { createSessionReport, type SessionReport } from "./session-report.ts";
import { childSessionOf, taskOf, taskResult, toolOutcome } from "./tool-part.ts";
import type { ToolPart } from "./wire.ts";

interface Subagent {
  readonly agentId: string;
  readonly report: SessionReport;
  /** The part of the call that runs it; undefined until that is known. */
  callId: string | undefined;
  isFinished: boolean;
}

export interface Subagents {
  /** The report of a session that is not the agent's own. */
  reportOf(sessionId: string): SessionReport;
  agentIdOf(sessionId: string): string | undefined;
  /** News of a tool call of the agent, or of a sub-agent. */
  onTool(part: ToolPart, parentId: string | undefined): void;
  readonly sessionIds: readonly string[];
}

export function createSubagents(options: {
  readonly sink: TurnSink;
  /** The session of a sub-agent became known. */
  readonly onSession: (sessionId: string) => void;
  readonly isStopping: () => boolean;
}): Subagents {
  const { sink, isStopping } = options;
  const current = new Map<string, Subagent>();
  const prompts = new Map<string, Set<string>>();
  const runs = new Map<string, number>();

  function add(sessionId: string): Subagent {
    const run = (runs.get(sessionId) ?? 0) + 1;
    runs.set(sessionId, run);
    const seenPrompts = prompts.get(sessionId) ?? new Set();
    prompts.set(sessionId, seenPrompts);
    const agentId = run === 1 ? sessionId : `${sessionId}#${run}`;
    const report = createSessionReport({
      sink,
      agentId,
      seenPrompts,
      onTool: (part) => onTool(part, agentId),
      isStopping,
    });
    const subagent = { agentId, report, callId: undefined, isFinished: false };
    current.set(sessionId, subagent);
    options.onSession(sessionId);
    return subagent;
  }

  function onTool(part: ToolPart, parentId: string | undefined): void {
    const sessionId = childSessionOf(part);
    if (sessionId === undefined) return;
    let subagent = current.get(sessionId) ?? add(sessionId);
    if (subagent.callId !== undefined && subagent.callId !== part.id) subagent = add(sessionId);
    if (subagent.callId === undefined) start(subagent, part, parentId);
    if (!subagent.isFinished) finish(subagent, part);
  }

  function start(subagent: Subagent, part: ToolPart, parentId: string | undefined): void {
    subagent.callId = part.id;
    const { agent, prompt } = taskOf(part);
    sink.emit({
      type: "subagent.started",
      agentId: subagent.agentId,
      parentId,
      name: agent,
      task: prompt,
      toolCallId: part.id,
      isBackground: false,
    });
  }

  function finish(subagent: Subagent, part: ToolPart): void {
    const end = toolOutcome(part, isStopping());
    if (end === undefined) return;
    subagent.isFinished = true;
    sink.emit({
      type: "subagent.finished",
      agentId: subagent.agentId,
      outcome: end.outcome === "ok" ? "completed" : end.outcome,
      text: taskResult(end.output),
    });
  }

  return {
    reportOf: (sessionId) => (current.get(sessionId) ?? add(sessionId)).report,
    agentIdOf: (sessionId) => current.get(sessionId)?.agentId,
    onTool,
    get sessionIds() {
      return [...current.keys()];
    },
  };
}
