// A slash command outside a chat: described, or run to the point where a chat or a run has to carry it out. What comes
// back is data in the form of the commands' contract; nothing is sent, started or shown here.

import { createCommands, type CommandPorts } from "../commands/create-commands.ts";
import type { CommandResult } from "../commands/slash-command.ts";
import { parseSlashLine } from "../commands/slash-line.ts";
import { notFoundText } from "../lib/not-found-text.ts";
import { AtomicError } from "../lib/errors.ts";
import type { ChatOutcome } from "./chat/chat-outcome.ts";
import { describeEntity, type SlashRow } from "./listings.ts";
import type { ListingWorkspace } from "./listing-workspace.ts";
import { listSlashCommands } from "./slash-commands.ts";

export interface SlashOutcome extends ChatOutcome {
  /** What is left to do: a prompt to send, a sub-agent, a workflow to start, a run to resume, a chat to compact. */
  readonly next?:
    | Extract<CommandResult, { readonly kind: "prompt" | "subagent" | "workflow" | "resume" | "compact" }>
    | undefined;
}

export interface CommandDetails extends SlashRow {
  /** What it sends to the agent; absent for a command of Atomic itself, and for a workflow. */
  readonly prompt?: string;
}

type Source = Pick<ListingWorkspace, "catalog" | "parts">;

/** By name or alias, with or without the slash. Throws ENTITY_NOT_FOUND. */
export async function describeCommand(workspace: Source, wanted: string): Promise<CommandDetails> {
  const { found } = listSlashCommands(workspace);
  const key = wanted.replace(/^\//, "").normalize("NFC").toLowerCase();
  const row = found.find(({ name }) => name === key) ?? found.find(({ aliases }) => aliases.includes(key));
  if (row === undefined) {
    const names = found.flatMap(({ name, aliases }) => [name, ...aliases]);
    throw new AtomicError("ENTITY_NOT_FOUND", notFoundText("Command", wanted, names), {
      details: { type: "command", name: wanted },
    });
  }
  if (row.kind === "builtin" || row.kind === "workflow") return row;
  return { ...row, prompt: (await describeEntity(workspace, row.kind, row.name)).prompt };
}

/** `line` as it is typed: `/model list`. A line that is not a command is refused. */
export async function runSlashCommand(
  { catalog }: Pick<ListingWorkspace, "catalog">,
  line: string,
  ports: CommandPorts,
): Promise<SlashOutcome> {
  const commands = createCommands(catalog, ports);
  const parsed = parseSlashLine(line);
  if (parsed === undefined || parsed.name === "") {
    return { success: false, message: "A command begins with a slash and its name. /help lists them." };
  }
  const command = commands.get(parsed.name);
  if (command === undefined) return { success: false, message: commands.notFound(parsed.name) };
  try {
    return outcomeOf(await command.execute(parsed.args), command.name);
  } catch (thrown) {
    // What the agent can't do, or what is not there.
    if (!AtomicError.is(thrown)) throw thrown;
    return { success: false, message: thrown.message };
  }
}

function outcomeOf(result: CommandResult, name: string): SlashOutcome {
  switch (result.kind) {
    case "message":
      return { success: true, message: result.text };
    case "refused":
      return { success: false, message: result.text };
    case "prompt":
      return { success: true, skillLoaded: name, next: result };
    case "subagent":
    case "workflow":
    case "resume":
    case "compact":
      return { success: true, next: result };
    case "clear":
      return { success: true, clearMessages: true, destroySession: true };
    case "exit":
      return { success: true, shouldExit: true };
    case "theme":
      return { success: true, themeChange: result.theme };
    case "choose-model":
      return { success: true, showModelSelector: result.models };
    case "model":
      return { success: true, modelDisplayName: result.model };
    case "servers":
      return { success: true, showMcpOverlay: true, mcpSnapshot: result.servers };
  }
}
