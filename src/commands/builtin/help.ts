// /help: everything that can be typed, by category; or one command in full.

import { coreHints } from "../../catalog/registry/command-hint.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { CommandRegistry } from "../command-registry.ts";
import type { CommandCategory, SlashCommand } from "../slash-command.ts";

const headings: readonly (readonly [CommandCategory, string])[] = [
  ["builtin", "Slash Commands"],
  ["workflow", "Workflows"],
  ["skill", "Skills"],
  ["agent", "Sub-Agents"],
];

export function helpCommand(registry: Pick<CommandRegistry, "inCategory" | "get" | "notFound">): SlashCommand {
  return {
    name: "help",
    description: "Show what can be typed after a slash",
    category: "builtin",
    argumentHint: coreHints.help,
    execute(args) {
      const name = args.trim().replace(/^\//, "");
      if (name === "") return { kind: "message", text: overview(registry) };
      const command = registry.get(name);
      if (command === undefined) return { kind: "refused", text: registry.notFound(name) };
      return { kind: "message", text: details(command) };
    },
  };
}

function overview(registry: Pick<CommandRegistry, "inCategory">): string {
  const sections = headings.flatMap(([category, heading]) => {
    const commands = registry.inCategory(category);
    if (commands.length === 0) return [];
    const width = Math.max(...commands.map((command) => command.name.length)) + 3;
    const lines = commands.map(({ name, description }) => `  ${`/${name}`.padEnd(width)}${safeLine(description, 100)}`);
    return [[heading, ...lines].join("\n")];
  });
  return [...sections, "/help COMMAND says more about one of them."].join("\n\n");
}

function details({ name, description, aliases = [], argumentHint }: SlashCommand): string {
  const usage = argumentHint === undefined || argumentHint === "" ? `/${name}` : `/${name} ${safeLine(argumentHint)}`;
  const lines = [usage, `  ${safeLine(description, 400)}`];
  if (aliases.length > 0) lines.push(`  Also: ${aliases.map((alias) => `/${alias}`).join(", ")}`);
  return lines.join("\n");
}
