// What may follow a command's name, for the grey text after it. The entity's own hint comes first.

import { nameKey } from "../entity-name.ts";
import { entityRegistry, type EntityRegistry } from "./entity-registry.ts";

/** Hints of what has no file to hold them. An empty one says: no arguments. */
const builtinHints: ReadonlyMap<string, string> = new Map([
  ["ralph", "--yolo <prompt> | --resume <session-id> | --max-iterations <n>"],
  ["loop", "--yolo <prompt> | --resume <session-id> | --max-iterations <n>"],
  ["commit", "[message] | --amend"],
  ["research-codebase", "<question or topic>"],
  ["create-spec", "<research-doc-path>"],
  ["implement-feature", "[feature-id]"],
  ["create-feature-list", "<spec-path>"],
  ["create-gh-pr", "[title]"],
  ["explain-code", "<file-path> [function-name]"],
  ["model", "select | refresh | list [provider] | <model-name>"],
  ["compact", "[focus-instructions]"],
  ["resume", "[session-id]"],
  ["clear", ""],
  ["help", "[command-name]"],
]);

export function getCommandHint(
  commandName: string,
  registry: Pick<EntityRegistry, "getArgumentHint"> = entityRegistry,
): string | undefined {
  const own = registry.getArgumentHint(commandName);
  if (own !== undefined && own !== "") return own;
  return builtinHints.get(nameKey(commandName));
}
