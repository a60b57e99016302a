// What is open in a turn, and what it came to so far. Puts a backend's events into the order the port promises: a tool
// or sub-agent starts before anything else is reported about it, ends once, and is ended when the turn ends. Pure except
// for the time it is given; the guard owns limits and the end.

import { clip, clipJson, maxOutputChars } from "./clip.ts";
import type { BackendEvent, PublishedEvent } from "./backend-session.ts";
import { type FileChange, toolChanges } from "./tool-changes.ts";
import { addUsage, noUsage, plausibleUsage, totalTokens, type Usage } from "./usage.ts";

interface OpenTool {
  readonly id: string;
  readonly name: string;
  readonly agentId: string | undefined;
  /** From the input as the program sent it: what is published of it may be clipped. */
  readonly changes: readonly FileChange[];
  lastSeen: number;
  /** Characters of progress that were passed on; the rest is dropped. */
  progressChars: number;
}

interface OpenAgent {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly toolCallId: string | undefined;
}

/** A sub-agent that never gets its start: what it said is kept up to here. */
const maxHeldEvents = 1000;
const maxProgressChars = 8 * maxOutputChars;

export interface TurnLedger {
  readonly text: string;
  readonly usage: Usage;
  readonly modelServed: string | undefined;
  /** Whether the agent wrote more than blanks, used a tool or started a sub-agent. Reasoning alone is neither. */
  readonly hasDone: boolean;
  /** Publishes the event, and what has to come with it, in order. */
  admit(event: BackendEvent, now: number): void;
  /** Ends everything that is open, because the turn ends. */
  closeAll(): void;
  /** The open tool that was silent for longest, if any tool is open. */
  quietestTool(): { readonly name: string; readonly lastSeen: number } | undefined;
  /** A wait on something else ended: open tools start their silence anew. */
  refresh(now: number): void;
}

export function createTurnLedger(publish: (event: PublishedEvent) => void): TurnLedger {
  const tools = new Map<string, OpenTool>();
  const finishedTools = new Set<string>();
  const agents = new Map<string, OpenAgent>();
  const finishedAgents = new Set<string>();
  const held = new Map<string, BackendEvent[]>();
  let messageId: string | undefined;
  let text = "";
  let usage = noUsage;
  let modelServed: string | undefined;
  /** Of the messages before the current one, and of tools and sub-agents. */
  let hasDone = false;

  function admit(event: BackendEvent, now: number): void {
    // Nearly all events are this one.
    if (event.type === "text.delta" && event.agentId === undefined) return write(event);
    if (event.agentId !== undefined && event.type !== "subagent.started") {
      if (!agents.has(event.agentId) && !finishedAgents.has(event.agentId)) return hold(event.agentId, event);
      keepParentsAlive(event.agentId, now);
    }
    switch (event.type) {
      case "message.finished":
        if (event.agentId === undefined && event.text !== "") {
          if (event.messageId !== messageId) nextMessage(event.messageId);
          text = event.text;
        }
        return publish(event);
      case "tool.started":
        return startTool(event, now);
      case "tool.progressed":
        return progressTool(event, now);
      case "tool.finished":
        return finishTool(event, now);
      case "subagent.started":
        return startAgent(event, now);
      case "subagent.finished":
        return finishAgent(event);
      case "usage.reported":
        // All zeros: the model's service did not count.
        if (totalTokens(event.usage) === 0 && event.usage.costUsd === undefined) return;
        return addTurnUsage(event);
      case "model.served":
        if (event.agentId === undefined) modelServed = event.model;
        return publish(event);
      default:
        return publish(event);
    }
  }

  function addTurnUsage(event: BackendEvent & { type: "usage.reported" }): void {
    const stated = plausibleUsage(event.usage);
    usage = addUsage(usage, stated);
    publish(stated === event.usage ? event : { ...event, usage: stated });
  }

  function write(event: BackendEvent & { type: "text.delta" }): void {
    if (event.messageId !== messageId) nextMessage(event.messageId);
    text += event.text;
    publish(event);
  }

  function nextMessage(id: string): void {
    hasDone ||= !isBlank(text);
    messageId = id;
    text = "";
  }

  function hold(agentId: string, event: BackendEvent): void {
    const waiting = held.get(agentId) ?? [];
    held.set(agentId, waiting);
    if (waiting.length < maxHeldEvents) waiting.push(event);
  }

  function keepParentsAlive(agentId: string, now: number): void {
    for (
      let agent = agents.get(agentId);
      agent !== undefined;
      agent = agent.parentId === undefined ? undefined : agents.get(agent.parentId)
    ) {
      const tool = agent.toolCallId === undefined ? undefined : tools.get(agent.toolCallId);
      if (tool !== undefined) tool.lastSeen = now;
    }
  }

  function startTool(event: BackendEvent & { type: "tool.started" }, now: number): void {
    if (tools.has(event.toolCallId) || finishedTools.has(event.toolCallId)) return;
    hasDone = true;
    tools.set(event.toolCallId, {
      id: event.toolCallId,
      name: event.name,
      agentId: event.agentId,
      changes: toolChanges(event.input),
      lastSeen: now,
      progressChars: 0,
    });
    publish(shortened(event, "input", clipJson(event.input)));
  }

  function progressTool(event: BackendEvent & { type: "tool.progressed" }, now: number): void {
    const tool = tools.get(event.toolCallId);
    if (tool === undefined) return;
    tool.lastSeen = now;
    if (tool.progressChars >= maxProgressChars) return;
    tool.progressChars += event.output.length;
    publish(shortened(event, "output", clip(event.output)));
  }

  function finishTool(event: BackendEvent & { type: "tool.finished" }, now: number): void {
    if (finishedTools.has(event.toolCallId)) return;
    if (!tools.has(event.toolCallId)) {
      startTool(
        {
          type: "tool.started",
          toolCallId: event.toolCallId,
          agentId: event.agentId,
          name: event.name,
          kind: "other",
          input: null,
        },
        now,
      );
    }
    const changes = event.changes ?? tools.get(event.toolCallId)?.changes ?? [];
    tools.delete(event.toolCallId);
    finishedTools.add(event.toolCallId);
    const finished = shortened(event, "output", clip(event.output));
    // A call that failed changed nothing, as far as is known.
    publish(event.outcome === "ok" && changes.length > 0 ? { ...finished, changes } : finished);
  }

  function startAgent(event: BackendEvent & { type: "subagent.started" }, now: number): void {
    if (agents.has(event.agentId) || finishedAgents.has(event.agentId)) return;
    hasDone = true;
    agents.set(event.agentId, { id: event.agentId, parentId: event.parentId, toolCallId: event.toolCallId });
    publish(shortened(event, "task", clip(event.task)));
    const waiting = held.get(event.agentId) ?? [];
    held.delete(event.agentId);
    for (const early of waiting) admit(early, now);
  }

  function finishAgent(event: BackendEvent & { type: "subagent.finished" }): void {
    if (finishedAgents.has(event.agentId)) return;
    for (const tool of [...tools.values()]) if (tool.agentId === event.agentId) interruptTool(tool);
    agents.delete(event.agentId);
    finishedAgents.add(event.agentId);
    publish(shortened(event, "text", clip(event.text)));
  }

  function interruptTool(tool: OpenTool): void {
    tools.delete(tool.id);
    finishedTools.add(tool.id);
    publish({
      type: "tool.finished",
      toolCallId: tool.id,
      agentId: tool.agentId,
      name: tool.name,
      outcome: "interrupted",
      output: "",
      outputChars: 0,
    });
  }

  return {
    get text() {
      return text;
    },
    get usage() {
      return usage;
    },
    get modelServed() {
      return modelServed;
    },
    get hasDone() {
      return hasDone || !isBlank(text);
    },
    admit,
    closeAll() {
      for (const agentId of [...held.keys()]) {
        startAgent(
          { type: "subagent.started", agentId, parentId: undefined, name: "sub-agent", task: "", isBackground: false },
          0,
        );
      }
      for (const tool of [...tools.values()]) interruptTool(tool);
      // Children were started after their parents: end them in the opposite order.
      for (const agent of [...agents.values()].reverse()) {
        finishAgent({ type: "subagent.finished", agentId: agent.id, outcome: "interrupted", text: "" });
      }
    },
    quietestTool() {
      let quietest: OpenTool | undefined;
      for (const tool of tools.values())
        if (quietest === undefined || tool.lastSeen < quietest.lastSeen) quietest = tool;
      return quietest;
    },
    refresh(now) {
      for (const tool of tools.values()) tool.lastSeen = now;
    },
  };
}

/** Neither white space nor one of the characters that show nothing, as U+200B or U+FEFF. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u;

export function isBlank(text: string): boolean {
  return !visible.test(text);
}

/** The event itself where nothing had to be cut, as nearly always. */
function shortened<Event, Key extends keyof Event>(event: Event, key: Key, value: Event[Key]): Event {
  return event[key] === value ? event : { ...event, [key]: value };
}
