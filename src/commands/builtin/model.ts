// /model: which model answers, which there are, and changing it.

import { coreHints } from "../../catalog/registry/command-hint.ts";
import type { ModelInfo } from "../../agents/port.ts";
import { counted } from "../../lib/counted.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { CommandResult, SlashCommand } from "../slash-command.ts";

export interface ModelSource {
  /** Undefined: the agent's own default. */
  current(): string | undefined;
  /** As last asked for. */
  list(): Promise<readonly ModelInfo[]>;
  /** Asks the agent again. */
  refresh(): Promise<readonly ModelInfo[]>;
}

export function modelCommand(models: ModelSource): SlashCommand {
  return {
    name: "model",
    description: "Show or change the model",
    category: "builtin",
    argumentHint: coreHints.model,
    async execute(args): Promise<CommandResult> {
      const [word = "", ...rest] = args.trim().split(/\s+/);
      switch (word) {
        case "":
          return { kind: "message", text: `Model: ${safeLine(models.current() ?? "the agent's default")}` };
        case "select":
          return { kind: "choose-model", models: await models.list() };
        case "refresh":
          return { kind: "message", text: `${counted((await models.refresh()).length, "model")}.` };
        case "list":
          return { kind: "message", text: listing(await models.list(), rest[0]) };
        default:
          if (rest.length === 0) return { kind: "model", model: word };
          return { kind: "refused", text: "A model's name is one word. /model list shows those there are." };
      }
    },
  };
}

/** Ids like `anthropic/claude` start with their provider. */
function listing(models: readonly ModelInfo[], provider: string | undefined): string {
  const wanted = models.filter(({ id }) => provider === undefined || id.split("/")[0] === provider);
  if (wanted.length === 0) return provider === undefined ? "The agent lists no models." : `No models of ${provider}.`;
  return wanted.map(({ id, name }) => (id === name ? safeLine(id) : `${safeLine(id)}  ${safeLine(name)}`)).join("\n");
}
