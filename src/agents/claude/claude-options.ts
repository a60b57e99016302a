// What the SDK is told for a session: no tool asks, the project's own settings only when it is trusted, the session's
// instructions beside the program's own.

import { defaultTurnLimits } from "../limits.ts";
import type { OpenOptions } from "../port.ts";
import { toolServerName } from "../tool-protocol.ts";
import type { CanUseTool, ClaudeOptions } from "./sdk.ts";
import { claudeQuestionTool, claudeToolNames, claudeToolRules } from "./tool-names.ts";
import { createToolServer } from "./tool-server.ts";

export type SessionStart = { readonly resume: string } | { readonly sessionId: string };

export interface ClaudeOptionsInput {
  readonly open: OpenOptions;
  readonly start: SessionStart;
  readonly program: string;
  readonly env: Record<string, string>;
  readonly model: string | undefined;
  readonly canUseTool: CanUseTool;
  readonly spawn: ClaudeOptions["spawnClaudeCodeProcess"];
}

export function claudeOptions(input: ClaudeOptionsInput): ClaudeOptions {
  const { open } = input;
  const append = open.agent?.prompt ?? "";
  const tools = open.tools ?? [];
  const rules = claudeToolRules(open.agent?.toolRules);
  return {
    cwd: open.cwd,
    env: input.env,
    ...input.start,
    ...(input.model !== undefined && { model: input.model }),
    pathToClaudeCodeExecutable: input.program,
    spawnClaudeCodeProcess: input.spawn,
    includePartialMessages: true,
    forwardSubagentText: true,
    settingSources: open.isProjectTrusted === true ? ["user", "project", "local"] : ["user"],
    systemPrompt: { type: "preset", preset: "claude_code", ...(append !== "" && { append }) },
    // An agent that may do little may still ask.
    ...(open.agent?.tools !== undefined && { tools: [...claudeToolNames(open.agent.tools), claudeQuestionTool] }),
    ...((open.subagents ?? []).length > 0 && { agents: subagents(open.subagents ?? []) }),
    ...(tools.length > 0 && {
      mcpServers: { [toolServerName]: createToolServer(tools, open.limits?.toolMs ?? defaultTurnLimits.toolMs) },
    }),
    ...(rules.length > 0 && { allowedTools: rules }),
    // Tools run without asking, and still the program offers its question tool only to a host that can be asked. As an
    // option of the SDK the mode would do the same, but with a warning on the terminal that the two exclude each other.
    allowDangerouslySkipPermissions: true,
    // With rules the program must ask about what they don't allow: the answer is in claude-session.ts.
    extraArgs: { "permission-mode": rules.length > 0 ? "default" : "bypassPermissions" },
    canUseTool: input.canUseTool,
  };
}

function subagents(definitions: NonNullable<OpenOptions["subagents"]>): NonNullable<ClaudeOptions["agents"]> {
  return Object.fromEntries(
    definitions.map(({ name, description, prompt, model, tools }) => [
      name,
      {
        description: description ?? name,
        prompt,
        ...(model !== undefined && { model }),
        ...(tools !== undefined && { tools: claudeToolNames(tools) }),
      },
    ]),
  );
}
