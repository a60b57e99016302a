// Nodes that run a skill or a command by name: its prompt, with `$ARGUMENTS` filled in, as a turn of an agent.

import { AtomicError } from "../lib/errors.ts";
import { expandArguments } from "../lib/expand-arguments.ts";
import type { ExecutionContext, NodeDefinition } from "../workflows/graph/model/node.ts";
import type { CommonNodeOptions } from "../workflows/graph/nodes/node-id.ts";
import { commonOf, withOptionalId } from "../workflows/graph/nodes/node-id.ts";
import type { EntityPrompt, EntitySource } from "../workflows/graph/model/entities.ts";
import type { AgentOutputMapper, PromptSource } from "./agent-turn.ts";
import { promptText, takeTurn } from "./agent-turn.ts";

interface EntityNodeOptions<S> extends CommonNodeOptions<S> {
  readonly args?: PromptSource<S> | undefined;
  /** The type of agent that takes the turn (`claude`, `opencode`, `copilot`, …); default: the run's own. */
  readonly agentType?: string | undefined;
  /** Default: the entity's own, else the run's. */
  readonly model?: string | undefined;
  /** A session of the run to take the turn in; default a fresh one. */
  readonly session?: string | undefined;
  readonly outputMapper?: AgentOutputMapper<S> | undefined;
}

export interface SkillNodeConfig<S, Id extends string = string> extends EntityNodeOptions<S> {
  /** Default `skill-<name>`. */
  readonly id?: Id | undefined;
  readonly skill: string;
}

export interface CommandNodeConfig<S, Id extends string = string> extends EntityNodeOptions<S> {
  /** Default `command-<name>`. */
  readonly id?: Id | undefined;
  readonly command: string;
}

export function skillNode<S extends object, const Id extends string = string>(
  config: SkillNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function skillNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<SkillNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function skillNode<S extends object>(
  first: SkillNodeConfig<S> | string,
  options?: Omit<SkillNodeConfig<S>, "id">,
): NodeDefinition<S> {
  const config = withOptionalId<SkillNodeConfig<S>>("skillNode", first, options);
  const name = requireName("skillNode", "skill", config.skill);
  return entityNode(config.id ?? `skill-${name}`, config, (entities) => entities.skill(name));
}

export function commandNode<S extends object, const Id extends string = string>(
  config: CommandNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function commandNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<CommandNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function commandNode<S extends object>(
  first: CommandNodeConfig<S> | string,
  options?: Omit<CommandNodeConfig<S>, "id">,
): NodeDefinition<S> {
  const config = withOptionalId<CommandNodeConfig<S>>("commandNode", first, options);
  const name = requireName("commandNode", "command", config.command);
  return entityNode(config.id ?? `command-${name}`, config, (entities) => entities.command(name));
}

function entityNode<S extends object>(
  id: string,
  config: EntityNodeOptions<S>,
  find: (entities: EntitySource) => EntityPrompt,
): NodeDefinition<S> {
  const { args = "", agentType, session, model, outputMapper } = config;
  return {
    ...commonOf(config),
    id,
    type: "agent",
    execute: (context) => {
      const entity = find(entitiesOf(context));
      const task = expandArguments(entity.prompt, promptText(args, context.state));
      const { tools, toolRules } = entity;
      return takeTurn(
        context,
        { agentType, task, session, model: model ?? entity.model, tools, toolRules },
        outputMapper,
      );
    },
  };
}

function entitiesOf<S>(context: ExecutionContext<S>): EntitySource {
  const { entities } = context.runtime;
  if (entities === undefined) {
    throw new AtomicError(
      "RUNTIME_MISSING",
      `Node "${context.node}" looks a name up, and this run was started without a registry. Call initializeWorkflowsSDK(), pass runtime.entities, or start it with \`atomic run\`.`,
    );
  }
  return entities;
}

function requireName(factory: string, what: string, name: unknown): string {
  if (typeof name === "string" && name.trim() !== "") return name;
  throw new AtomicError("BUILDER_MISUSE", `${factory}: needs \`${what}\`, the name of a ${what}.`);
}
