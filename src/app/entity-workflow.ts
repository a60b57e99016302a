// A skill, a command or an agent as a workflow of one turn, so that `atomic run commit` is a run like any other: with
// limits, a record, and a way to resume it.

import type { Catalog } from "../catalog/catalog.ts";
import type { UnifiedEntity } from "../catalog/entities/entity.ts";
import { nameKey } from "../catalog/entity-name.ts";
import { createEntityRegistry } from "../catalog/registry/entity-registry.ts";
import { fillRegistry } from "../catalog/registry/initialize-workflows-sdk.ts";
import { nearest } from "../lib/did-you-mean.ts";
import { notFoundText } from "../lib/not-found-text.ts";
import { AtomicError } from "../lib/errors.ts";
import { noArguments } from "../lib/expand-arguments.ts";
import { agentNode } from "../nodes/agent.ts";
import { commandNode, skillNode } from "../nodes/skill.ts";
import type { WorkflowDefinition } from "../workflows/definition.ts";
import { graph } from "../workflows/graph/build/builder.ts";
import type { NodeDefinition } from "../workflows/graph/model/node.ts";
import type { BaseState } from "../workflows/graph/model/state.ts";

interface EntityState extends BaseState {
  prompt: string;
}

/**
 * By name, alias or label; of several kinds, the one that has the name after the slash. `atomic:NAME` is the built-in.
 */
export function findEntity(
  catalog: Pick<Catalog, "agents" | "skills" | "commands" | "slashNames">,
  written: string,
): UnifiedEntity | undefined {
  const registry = createEntityRegistry();
  fillRegistry(registry, catalog);
  const key = nameKey(written.trim());
  const slash = catalog.slashNames.find(({ name, aliases }) =>
    [name, ...aliases].some((each) => nameKey(each) === key),
  );
  const name = slash?.name ?? key;
  const found = { command: registry.getCommand(name), skill: registry.getSkill(name), agent: registry.getAgent(name) };
  const own = slash === undefined || slash.kind === "workflow" ? undefined : found[slash.kind];
  return own ?? found.command ?? found.skill ?? found.agent;
}

/** The error for a name that nothing has, with the nearest that something has. */
export function nothingToRun(
  { slashNames }: Pick<Catalog, "slashNames">,
  written: string,
  notFound: AtomicError,
): AtomicError {
  const near = nearest(
    written,
    slashNames.flatMap(({ name, aliases }) => [name, ...aliases]),
  );
  // A workflow's name that is as near was found before.
  if (near === undefined || notFound.message.includes("did you mean")) return notFound;
  const text = `${notFoundText("Workflow", written, [near])}. \`atomic workflows\` and \`atomic commands\` list what there is.`;
  return new AtomicError("WORKFLOW_NOT_FOUND", text, { details: { name: written } });
}

export function entityUsage({ name, description }: UnifiedEntity): EntityUsage {
  return { name, description, options: {}, prompt: "optional" };
}

interface EntityUsage {
  readonly name: string;
  readonly description: string;
  readonly options: Readonly<Record<string, never>>;
  readonly prompt: "optional";
}

export function entityWorkflow(entity: UnifiedEntity): WorkflowDefinition {
  const { argumentHint, source } = entity;
  const definition = {
    ...entityUsage(entity),
    ...(argumentHint === undefined ? {} : { argumentHint }),
    nodeDescriptions: { [entity.name]: entity.description },
    createWorkflow: () => graph<EntityState>().start(nodeOf(entity)),
  };
  return source.location === "builtin" ? { ...definition, source: "builtin" } : definition;
}

function nodeOf({ type, name, source }: UnifiedEntity): NodeDefinition<EntityState> {
  // Whatever takes the name later, a run of a built-in is resumed with the built-in.
  const address = source.location === "builtin" ? `atomic:${name}` : name;
  const args = ({ prompt }: Readonly<EntityState>): string => prompt;
  switch (type) {
    case "command":
      return commandNode<EntityState>({ id: name, command: address, args });
    case "skill":
      return skillNode<EntityState>({ id: name, skill: address, args });
    case "agent":
      return agentNode<EntityState>({ id: name, agent: address, prompt: (state) => args(state) || noArguments });
  }
}
