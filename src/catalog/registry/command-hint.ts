// The grey hint of arguments after a command's name. Each hint has one source: the file of a skill, command or agent,
// the metadata of a workflow, or, for the core slash commands, the table here.

import { ralphMetadata } from "../../workflows/ralph/metadata.ts";
import { builtinHint } from "../builtin/builtin-entities.ts";
import { nameKey } from "../entity-name.ts";
import { entityRegistry, type EntityRegistry } from "./entity-registry.ts";

/** For the core slash commands. Empty: no arguments. */
export const coreHints = {
  help: "[command-name]",
  theme: "dark | light",
  clear: "",
  compact: "[focus-instructions]",
  exit: "",
  model: "select | refresh | list [provider] | <model-name>",
  mcp: "enable <server> | disable <server>",
  resume: "[session-id]",
} as const satisfies Readonly<Record<string, string>>;

export function getCommandHint(
  commandName: string,
  registry: Pick<EntityRegistry, "getArgumentHint"> = entityRegistry,
): string | undefined {
  const own = registry.getArgumentHint(commandName);
  if (own !== undefined && own !== "") return own;
  const name = nameKey(commandName);
  if (isCore(name)) return coreHints[name];
  const { name: ralph, aliases, argumentHint } = ralphMetadata;
  return [ralph, ...aliases].some((each) => each === name) ? argumentHint : builtinHint(name);
}

function isCore(name: string): name is keyof typeof coreHints {
  return Object.hasOwn(coreHints, name);
}
