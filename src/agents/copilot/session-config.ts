// The port's options in the program's terms. Decides what a project may bring along: everything, or
// nothing at all.

import type { AgentTool } from "../agent-tool.ts";
import type { AgentDefinition, OpenOptions } from "../port.ts";
import type { CopilotProvider, CustomAgent, SessionConfig, ProgramTool } from "./copilot-protocol.ts";
import { copilotQuestionTool, copilotToolNames } from "./tool-names.ts";
import type { UserCustomization } from "./user-customization.ts";

export interface SessionConfigOptions {
  readonly open: OpenOptions;
  readonly model: string | undefined;
  readonly provider: CopilotProvider | undefined;
  /**
   * The user's own configuration; undefined where the project is trusted and the program looks for everything itself.
   */
  readonly user: UserCustomization | undefined;
  /** Agents of the configuration that would be lost beside those of `open`. */
  readonly foundAgents: readonly CustomAgent[];
  /** Aborts when a tool's result is no longer awaited. */
  readonly toolSignal: () => AbortSignal | undefined;
  readonly onQuestion: SessionConfig["onUserInputRequest"];
}

export function sessionConfig({ open, model, provider, user, ...rest }: SessionConfigOptions): SessionConfig {
  const { agent, tools = [], subagents = [] } = open;
  const agents = [...rest.foundAgents, ...subagents.map(customAgent)];
  const instructions = [...(user?.instructions ?? []), ...(agent === undefined ? [] : [agent.prompt])];
  const content = instructions.filter((text) => text.trim() !== "").join("\n\n");
  return {
    clientName: "atomic",
    workingDirectory: open.cwd,
    streaming: true,
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(content !== "" && { systemMessage: { mode: "append", content } }),
    ...(tools.length > 0 && { tools: tools.map((tool) => programTool(tool, rest.toolSignal)) }),
    // An agent that may do little may still ask.
    ...(agent?.tools !== undefined && {
      availableTools: [...copilotToolNames(agent.tools), copilotQuestionTool, ...tools.map(({ name }) => name)],
    }),
    ...projectConfig(user),
    // No empty list: it would replace those the program finds.
    ...(agents.length > 0 && { customAgents: agents }),
    onPermissionRequest: (request) =>
      // A rule of an organization that requires a user's approval can't be answered by a program.
      request.managedApprovalRequired === true
        ? {
            kind: "reject",
            feedback: "A rule of the organization wants a person to approve this, and no one is there to do so.",
          }
        : { kind: "approve-once" },
    onUserInputRequest: rest.onQuestion,
  };
}

type ProjectConfig = Pick<
  SessionConfig,
  | "enableConfigDiscovery"
  | "enableFileHooks"
  | "enableOnDemandInstructionDiscovery"
  | "skipCustomInstructions"
  | "enableSkills"
  | "skillDirectories"
  | "excludedTools"
>;

/**
 * All of it must be said: by default the program runs a project's hooks and reads its instructions. Its language
 * servers (`.github/lsp.json`) have no switch, and start when the tool `lsp` is used: so there is no such tool.
 */
function projectConfig(user: UserCustomization | undefined): ProjectConfig {
  if (user === undefined)
    return {
      enableConfigDiscovery: true,
      enableFileHooks: true,
      enableOnDemandInstructionDiscovery: true,
      skipCustomInstructions: false,
    };
  return {
    enableConfigDiscovery: false,
    enableFileHooks: false,
    enableOnDemandInstructionDiscovery: false,
    skipCustomInstructions: true,
    enableSkills: true,
    skillDirectories: [...user.skillDirectories],
    excludedTools: ["builtin:lsp"],
  };
}

function customAgent({ name, description, prompt, tools, model }: AgentDefinition): CustomAgent {
  return {
    name,
    prompt,
    ...(description !== undefined && { description }),
    ...(tools !== undefined && { tools: copilotToolNames(tools) }),
    ...(model !== undefined && { model }),
  };
}

function programTool(tool: AgentTool, turnSignal: () => AbortSignal | undefined): ProgramTool {
  return {
    name: tool.name,
    description: tool.description,
    parameters: tool.inputSchema,
    skipPermission: true,
    async handler(input, { signal }) {
      const signals = [signal, turnSignal()].filter((one) => one !== undefined);
      const { text, isError } = await tool.call(input, AbortSignal.any(signals));
      return { textResultForLlm: text, resultType: isError ? "failure" : "success" };
    },
  };
}
