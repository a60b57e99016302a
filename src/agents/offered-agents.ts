// The agents of the run that a running agent may start by itself, as sub-agents: every session gets the same list, in the
// form its backend can serve. Where the backend takes none, those that the user or the project wrote are named once.

import { withKnownModel } from "./model-families.ts";
import type { AgentClient, AgentDefinition } from "./port.ts";

export interface OfferedAgent extends AgentDefinition {
  /** It comes with the program: no notice is needed if it can't be offered. */
  readonly isBuiltin?: boolean | undefined;
}

export interface Offer {
  readonly subagents: readonly AgentDefinition[];
  /** Names of those that can't be offered, and why. */
  readonly refused: { readonly agents: readonly string[]; readonly reason: string } | undefined;
}

export function offerTo(
  { kind, capabilities }: Pick<AgentClient, "kind" | "capabilities">,
  agents: readonly OfferedAgent[],
): Offer {
  const { subagentDefinitions: reason } = capabilities;
  if (reason === true) return { subagents: agents.map((agent) => definitionFor(agent, kind)), refused: undefined };
  const names = agents.flatMap(({ name, isBuiltin }) => (isBuiltin === true ? [] : [name]));
  return { subagents: [], refused: names.length === 0 ? undefined : { agents: names, reason } };
}

/** A list of models to choose from needs the backend's own list: a sub-agent uses its parent's model then. */
function definitionFor(agent: OfferedAgent, kind: string): AgentDefinition {
  const { name, description, prompt, tools, toolRules } = agent;
  const model = agent.models === undefined ? agent.model : undefined;
  return withKnownModel({ name, description, prompt, model, tools, toolRules }, kind);
}
