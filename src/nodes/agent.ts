// A turn in a session that the run owns: with its own prompt, or as a named agent. Turns of one session queue and
// share its context; `clearContextNode` clears it.

import { AtomicError } from "../lib/errors.ts";
import type { ClientProvider } from "../workflows/graph/model/client-source.ts";
import type { NodeDefinition } from "../workflows/graph/model/node.ts";
import type { CommonNodeOptions } from "../workflows/graph/nodes/node-id.ts";
import { commonOf, withId } from "../workflows/graph/nodes/node-id.ts";
import { worktreeFolder } from "../workflows/graph/nodes/subagent.ts";
import type { AgentOutputMapper, PromptSource } from "./agent-turn.ts";
import { promptText, takeTurn } from "./agent-turn.ts";

interface AgentNodeOptions<S> extends CommonNodeOptions<S> {
  /** What to do; default, with an `agent`: the state's `prompt`. */
  readonly prompt?: PromptSource<S> | undefined;
  /** The name of an agent definition, whose instructions the session gets. */
  readonly agent?: string | undefined;
  /** The type of agent that takes the turn (`claude`, `opencode`, `copilot`, …); default: the run's own. */
  readonly agentType?: string | undefined;
  /**
   * Gives the client that takes the turn, by `agentType` (`claude` where that is absent); default: the run's own
   * clients.
   */
  readonly clientProvider?: ClientProvider | undefined;
  /** The run's session for the turn; default `main`, and in a work tree a separate one. */
  readonly session?: string | undefined;
  /** The work tree to work in, by name: see `ctx.worktree`. Default: the run's folder. */
  readonly worktree?: string | ((state: Readonly<S>) => string) | undefined;
  readonly model?: string | undefined;
  readonly outputMapper?: AgentOutputMapper<S> | undefined;
}

export interface AgentNodeConfig<S, Id extends string = string> extends AgentNodeOptions<S> {
  readonly id: Id;
}

/** An agent by name needs no id. */
export interface NamedAgentNodeConfig<S, Id extends string = string> extends AgentNodeOptions<S> {
  /** Default `agent-<name>`. */
  readonly id?: Id | undefined;
  readonly agent: string;
}

export const mainSession = "main";

export function agentNode<S extends object, const Id extends string = string>(
  config: AgentNodeConfig<S, Id> | NamedAgentNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function agentNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<AgentNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function agentNode<S extends object>(
  first: AgentNodeConfig<S> | NamedAgentNodeConfig<S> | string,
  options?: Omit<AgentNodeConfig<S>, "id">,
): NodeDefinition<S> {
  const config = withId<AgentNodeConfig<S>>("agentNode", withAgentId(first), options);
  const { id, prompt, agent, agentType, clientProvider, model, outputMapper } = config;
  if (prompt === undefined && agent === undefined) {
    throw new AtomicError("BUILDER_MISUSE", `agentNode "${id}": needs a \`prompt\`, an \`agent\`, or both.`);
  }
  return {
    ...commonOf(config),
    id,
    type: "agent",
    ...(model === undefined ? {} : { model }),
    execute: async (context) => {
      const task = promptText(prompt ?? statePrompt, context.state);
      const name = typeof config.worktree === "function" ? config.worktree(context.state) : config.worktree;
      const cwd = await worktreeFolder(context, name);
      // A session stays in the folder that it was opened in.
      const session = config.session ?? (name === undefined ? mainSession : `worktree ${name}`);
      return takeTurn(context, { agent, agentType, clientProvider, task, session, model, cwd }, outputMapper);
    },
  };
}

function withAgentId<S>(first: AgentNodeConfig<S> | NamedAgentNodeConfig<S> | string): AgentNodeConfig<S> | string {
  if (typeof first !== "object" || first === null || first.id !== undefined)
    return first as AgentNodeConfig<S> | string;
  // Without an agent there is nothing to name it by: withId says so.
  return first.agent === undefined ? (first as AgentNodeConfig<S>) : { ...first, id: `agent-${first.agent}` };
}

/** What the user asked the workflow for. */
function statePrompt(state: object): string {
  const { prompt } = state as { prompt?: unknown };
  return typeof prompt === "string" ? prompt : "";
}
