// What a user types into a chat: messages and slash commands, at once or after the turn that runs. Owns the queue and
// what each command's result means for the conversation.

import type { AgentDefinition } from "../../agents/port.ts";
import type { QueuedLine } from "../../chat/chat-event.ts";
import type { CommandRegistry } from "../../commands/command-registry.ts";
import type { CommandResult } from "../../commands/slash-command.ts";
import { parseSlashLine } from "../../commands/slash-line.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { Conversation, Turn, TurnOutcome } from "./conversation.ts";
import type { ChatOutcome } from "./chat-outcome.ts";
import type { ChatWorkflows } from "./chat-workflows.ts";

export interface ChatLinesPorts {
  readonly conversation: Conversation;
  readonly commands: Pick<CommandRegistry, "get" | "notFound">;
  /** Throws ENTITY_NOT_FOUND. */
  readonly agent: (name: string) => Promise<AgentDefinition>;
  readonly workflows: ChatWorkflows;
  /** Whether a workflow's file has metadata alone. */
  readonly isPromptOnly: (workflow: string) => boolean;
  readonly newId: () => string;
}

export interface ChatLines {
  /**
   * Answers at once, while a message's turn continues. While a turn runs, messages and what needs the agent wait for
   * its end.
   */
  submit(line: string): Promise<ChatOutcome>;
  edit(id: string, line: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Up (negative) or down by this many places. */
  move(id: string, by: number): Promise<void>;
  /** Stops the turn that runs, and sends this one. Without an id: the first. */
  sendNow(id?: string): Promise<void>;
  /** Resolves when nothing runs any more, with how the last turn ended. */
  settled(): Promise<TurnOutcome | undefined>;
}

const done: ChatOutcome = { success: true };

/** What may happen while a turn runs: it needs no agent. */
const atOnce: ReadonlySet<string> = new Set(["help", "theme", "exit", "quit", "model", "mcp"]);

export function createChatLines(ports: ChatLinesPorts): ChatLines {
  const { conversation, commands } = ports;
  let pumping: Promise<void> | undefined;
  let last: TurnOutcome | undefined;

  const queue = (): readonly QueuedLine[] => conversation.view.queue;

  /** Takes the line, and then what waits; stops when a turn did not complete. */
  function start(line: string): void {
    pumping = pump(line).finally(() => (pumping = undefined));
  }

  async function pump(line: string): Promise<void> {
    for (let next: string | undefined = line; next !== undefined;) {
      last = undefined;
      const outcome = await perform(next);
      if (outcome.message !== undefined) show(outcome);
      if (last !== undefined && last !== "completed") return;
      const [first, ...rest] = queue();
      if (first !== undefined) await conversation.setQueue(rest);
      next = first?.line;
    }
  }

  /** `@debugger Find the leak` is for that agent, like `/debugger Find the leak`; several agents take it at once. */
  function addressed(line: string): { readonly names: readonly string[]; readonly task: string } | undefined {
    const names: string[] = [];
    let task = line.trim();
    for (;;) {
      const [, name = "", rest = ""] = /^@(\S+)\s+([\s\S]*\S)/.exec(task) ?? [];
      const command = commands.get(name);
      if (command?.category !== "agent") return names.length === 0 ? undefined : { names, task };
      if (!names.includes(command.name)) names.push(command.name);
      task = rest;
    }
  }

  const agentsOf = (names: readonly string[]): Promise<AgentDefinition[]> => Promise.all(names.map(ports.agent));

  /** For when the outcome is no longer awaited. */
  function show({ message = "", success }: ChatOutcome): void {
    const level = success ? "info" : "warning";
    conversation.show({ kind: "notice", id: `shown-${ports.newId()}`, level, text: message });
  }

  async function perform(line: string): Promise<ChatOutcome> {
    const slash = parseSlashLine(line);
    try {
      if (slash === undefined || slash.name === "") {
        const to = addressed(line);
        return await take(to === undefined ? { line } : { line, prompt: to.task, agents: await agentsOf(to.names) });
      }
      const command = commands.get(slash.name);
      if (command === undefined) return { success: false, message: commands.notFound(slash.name) };
      return await carryOut(await command.execute(slash.args), line, command.name);
    } catch (thrown) {
      // What an agent can't do, or what is not there.
      if (!AtomicError.is(thrown)) throw thrown;
      return { success: false, message: thrown.message };
    }
  }

  async function take(turn: Turn): Promise<ChatOutcome> {
    last = await conversation.turn(turn);
    return { success: last === "completed" };
  }

  async function chooseRun(): Promise<ChatOutcome> {
    const runs = await ports.workflows.resumable();
    if (runs.length === 0) return { success: false, message: "No run of this folder can be resumed." };
    return { success: true, showRunSelector: runs };
  }

  async function carryOut(result: CommandResult, line: string, name: string): Promise<ChatOutcome> {
    switch (result.kind) {
      case "message":
        return { success: true, message: result.text };
      case "refused":
        return { success: false, message: result.text };
      case "prompt":
        return { ...(await take({ line, prompt: result.text, skill: name })), skillLoaded: name };
      case "subagent":
        return take({ line, prompt: result.task, agents: await agentsOf([result.agent]) });
      case "clear":
        await conversation.clear();
        return { success: true, clearMessages: true, destroySession: true };
      case "compact": {
        const summary = await conversation.compact(result.focus);
        return { success: true, compactionSummary: summary };
      }
      case "exit":
        return { success: true, shouldExit: true };
      case "theme":
        return { success: true, themeChange: result.theme };
      case "choose-model":
        return { success: true, showModelSelector: result.models };
      case "model":
        await conversation.setModel(result.model);
        return { success: true, modelDisplayName: result.model, message: `Model: ${safeLine(result.model)}` };
      case "servers":
        return { success: true, showMcpOverlay: true, mcpSnapshot: result.servers };
      case "workflow":
        // One without a graph is a prompt for this chat's own agent.
        if (ports.isPromptOnly(result.workflow))
          return take({ line, prompt: result.prompt, opening: `Starting **${result.workflow}** workflow...` });
        last = await ports.workflows.start(result, line);
        return { success: last === "completed" };
      case "resume":
        if (result.id === undefined) return chooseRun();
        last = await ports.workflows.resume(result.id, line);
        return { success: last === "completed" };
    }
  }

  const change = (by: (queue: readonly QueuedLine[]) => readonly QueuedLine[]): Promise<void> =>
    conversation.setQueue(by(queue()));

  return {
    async submit(line) {
      if (line.trim() === "") return done;
      const slash = parseSlashLine(line);
      const command = slash === undefined ? undefined : commands.get(slash.name);
      const name = command?.name;
      if (name !== undefined && atOnce.has(name)) return perform(line);
      // It only lists what can be resumed.
      if (name === "resume" && slash?.args.trim() === "") return perform(line);
      // It is refused: there is one at a time.
      if (command?.category === "workflow" && ports.workflows.active() !== undefined) return perform(line);
      if (slash !== undefined && slash.name !== "" && name === undefined) return perform(line);
      if (pumping === undefined) start(line);
      else await change((waiting) => [...waiting, { id: ports.newId(), line }]);
      return done;
    },
    edit: (id, line) => change((waiting) => waiting.map((each) => (each.id === id ? { id, line } : each))),
    remove: (id) => change((waiting) => waiting.filter((each) => each.id !== id)),
    move: (id, by) =>
      change((waiting) => {
        const from = waiting.findIndex((each) => each.id === id);
        const moved = waiting[from];
        if (moved === undefined) return waiting;
        const rest = waiting.filter((each) => each !== moved);
        const to = Math.max(0, Math.min(rest.length, from + by));
        return [...rest.slice(0, to), moved, ...rest.slice(to)];
      }),
    async sendNow(id) {
      const wanted = id === undefined ? queue()[0] : queue().find((each) => each.id === id);
      if (wanted === undefined) return;
      await change((waiting) => waiting.filter((each) => each !== wanted));
      conversation.interrupt();
      // A turn that was stopped leaves the rest of the queue alone; so this one is next.
      await pumping;
      start(wanted.line);
    },
    async settled() {
      while (pumping !== undefined) await pumping;
      return last;
    },
  };
}
