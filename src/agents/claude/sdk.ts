// The part of @anthropic-ai/claude-agent-sdk that this folder uses, typed by hand: the package is optional and not
// installed here. The rig in tests/agents checks with the compiler that the real one fits. Only this folder loads it.

import type { BackendHost } from "../process/backend-host.ts";
import { importSdk } from "../process/import-package.ts";
import type { StartedProgram } from "../process/spawn-program.ts";
import type { McpMessage, McpReply } from "../tool-protocol.ts";

export interface ClaudeSdk {
  query(params: { prompt: AsyncIterable<ClaudePrompt>; options: ClaudeOptions }): ClaudeQuery;
}

/** Its values are messages of the program, which program-output.ts has read before; it ends when the program does. */
export interface ClaudeQuery extends AsyncIterable<unknown> {
  initializationResult(): Promise<ClaudeInitialization>;
  interrupt(): Promise<{ still_queued: string[] } | undefined>;
  setModel(model?: string): Promise<void>;
  getContextUsage(options?: { detail?: "summary" | "full" }): Promise<{ totalTokens: number; maxTokens: number }>;
  /** The totals of a resumed session; its name says that it may go, so nobody counts on it. */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET?(options?: {
    skipBehaviors?: boolean;
  }): Promise<{ session: { model_usage: Record<string, ClaudeModelUsage> } }>;
  close(): void;
}

export interface ClaudePrompt {
  type: "user";
  uuid: `${string}-${string}-${string}-${string}-${string}`;
  message: { role: "user"; content: string };
  parent_tool_use_id: null;
}

export interface ClaudeInitialization {
  models: readonly { value: string; resolvedModel?: string; displayName: string; description: string }[];
}

export interface ClaudeModelUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  contextWindow: number;
  costUSD: number;
  costBasis?: "list" | "managed" | "unknown";
}

export interface ClaudeOptions {
  cwd: string;
  env: Record<string, string>;
  model?: string;
  resume?: string;
  sessionId?: string;
  pathToClaudeCodeExecutable: string;
  allowDangerouslySkipPermissions: boolean;
  extraArgs: Record<string, string | null>;
  includePartialMessages: boolean;
  forwardSubagentText: boolean;
  settingSources: ("user" | "project" | "local")[];
  systemPrompt: { type: "preset"; preset: "claude_code"; append?: string };
  tools?: string[];
  /** Rules for what needs no question: `Bash(git:*)`. */
  allowedTools?: string[];
  agents?: Record<string, { description: string; prompt: string; model?: string; tools?: string[] }>;
  mcpServers?: Record<string, ClaudeToolServer>;
  canUseTool: CanUseTool;
  spawnClaudeCodeProcess: (options: {
    command: string;
    args: string[];
    cwd?: string;
    env: Record<string, string | undefined>;
  }) => SpawnedClaude;
}

/** A running program, as the SDK wants it. */
export type SpawnedClaude = Pick<
  StartedProgram["child"],
  "stdin" | "stdout" | "killed" | "exitCode" | "signalCode" | "kill" | "on" | "once" | "off"
>;

export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: { signal: AbortSignal; toolUseID: string; agentID?: string },
) => Promise<{ behavior: "allow"; updatedInput: Record<string, unknown> } | { behavior: "deny"; message: string }>;

/** A server of the Model Context Protocol in this process. Of its class the SDK uses `connect`, and nothing else. */
export interface ClaudeToolServer {
  type: "sdk";
  name: string;
  timeout: number;
  instance: { connect(transport: McpTransport): Promise<void> };
}

export interface McpTransport {
  start(): Promise<void>;
  send(reply: McpReply): Promise<void>;
  onmessage?: ((message: McpMessage) => void) | undefined;
}

export const sdkPackage = "@anthropic-ai/claude-agent-sdk";
export const installClaude = `npm install -g ${sdkPackage}`;

/** Throws AGENT_UNAVAILABLE. */
export function loadClaudeSdk(host: BackendHost, cwd: string): Promise<ClaudeSdk> {
  return importSdk(host, cwd, { name: sdkPackage, install: installClaude, isSdk: isClaudeSdk });
}

function isClaudeSdk(module: object): module is ClaudeSdk {
  return "query" in module && typeof module.query === "function";
}
