// The program's configuration for a session, as arguments and in the first request: no tool asks, the project's settings
// only when it is trusted, the session's instructions beside the program's own.

import type { Fields } from "../fields.ts";
import { defaultTurnLimits } from "../limits.ts";
import type { OpenOptions } from "../port.ts";
import { toolServerName } from "../tool-protocol.ts";
import { claudeQuestionTool, claudeToolNames, claudeToolRules } from "./tool-names.ts";

export type SessionStart = { readonly resume: string } | { readonly sessionId: string };

export interface ClaudeLaunch {
  readonly args: readonly string[];
  /** The fields of the request `initialize`. */
  readonly initialize: Fields;
}

export function claudeLaunch(open: OpenOptions, start: SessionStart, model: string | undefined): ClaudeLaunch {
  const instructions = open.agent?.prompt ?? "";
  const subagents = open.subagents ?? [];
  const rules = claudeToolRules(open.agent?.toolRules);
  const hasTools = (open.tools ?? []).length > 0;
  const args = [
    "--print",
    "--verbose",
    "--input-format=stream-json",
    "--output-format=stream-json",
    "--include-partial-messages",
    "resume" in start ? `--resume=${start.resume}` : `--session-id=${start.sessionId}`,
    ...(model === undefined ? [] : [`--model=${model}`]),
    `--setting-sources=${open.isProjectTrusted === true ? "user,project,local" : "user"}`,
    // Tools run without asking, and still the program offers its question tool only to a host that can be asked.
    // With rules the program must ask about what they don't allow: the answer is in claude-session.ts.
    `--permission-mode=${rules.length > 0 ? "default" : "bypassPermissions"}`,
    ...(rules.length > 0 ? [`--allowedTools=${rules.join(",")}`] : []),
    "--allow-dangerously-skip-permissions",
    "--permission-prompt-tool=stdio",
    // An agent that may do little may still ask.
    ...(open.agent?.tools === undefined
      ? []
      : [`--tools=${[...claudeToolNames(open.agent.tools), claudeQuestionTool].join(",")}`]),
  ];
  const initialize = {
    forwardSubagentText: true,
    // The only way to learn what a compaction kept.
    hooks: { PostCompact: [{ hookCallbackIds: ["post-compact"] }] },
    ...(instructions !== "" && { appendSystemPrompt: instructions }),
    ...(subagents.length > 0 && { agents: Object.fromEntries(subagents.map(subagent)) }),
    ...(hasTools && {
      sdkMcpServers: [toolServerName],
      sdkMcpServerConfigs: { [toolServerName]: { timeout: open.limits?.toolMs ?? defaultTurnLimits.toolMs } },
    }),
  };
  return { args, initialize };
}

function subagent(definition: NonNullable<OpenOptions["subagents"]>[number]): [string, Fields] {
  const { name, description, prompt, model, tools } = definition;
  return [
    name,
    {
      description: description ?? name,
      prompt,
      ...(model !== undefined && { model }),
      ...(tools !== undefined && { tools: claudeToolNames(tools) }),
    },
  ];
}
