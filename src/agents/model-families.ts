// Definitions of agents name families of models: `opus`, `sonnet`, `haiku`, brought to these words by the catalog. They
// are Claude's own; other programs have no model of that name, and an agent that comes with this program must run on
// all of them. There the run's own model serves.

import type { AgentDefinition } from "./port.ts";

export const modelFamilies: ReadonlySet<string> = new Set(["opus", "sonnet", "haiku"]);

/** Scripts and recordings ask no model. */
const knowing: ReadonlySet<string> = new Set(["claude", "scripted", "replay"]);

/** Whether the model is a family, and the backend knows it by that name. */
export function isKnownFamily(model: string, kind: string): boolean {
  return modelFamilies.has(model) && knowing.has(kind);
}

/** The definition as this backend can serve it. */
export function withKnownModel(definition: AgentDefinition, kind: string): AgentDefinition {
  if (definition.model === undefined || !modelFamilies.has(definition.model) || knowing.has(kind)) return definition;
  return { ...definition, model: undefined };
}
