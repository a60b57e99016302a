// The shapes of what the program is asked and answers, as far as this folder uses them: version 3 of its protocol. The
// rig in tests/agents checks with the compiler that the vendor's own SDK has the same.

import type { JsonObject } from "../../lib/json.ts";

export interface CopilotApi {
  /** The first request. Rejects when the program speaks a version of the protocol that is not known here. */
  connect(): Promise<void>;
  getStatus(): Promise<{ version: string; protocolVersion: number }>;
  getAuthStatus(): Promise<{ isAuthenticated: boolean; statusMessage?: string }>;
  listModels(): Promise<ProgramModel[]>;
  createSession(config: SessionConfig & { sessionId?: string }): Promise<CopilotSessionApi>;
  resumeSession(sessionId: string, config: SessionConfig): Promise<CopilotSessionApi>;
  rpc: {
    instructions: { discover(request: NoRequest): Promise<{ sources: FoundInstruction[] }> };
    skills: { getDiscoveryPaths(request: NoRequest): Promise<{ paths: { path: string }[] }> };
    agents: { discover(request: NoRequest): Promise<{ agents: FoundAgent[] }> };
  };
}

/** Without a project: what the user's own configuration has. */
export type NoRequest = { projectPaths?: string[] };

export interface ProgramModel {
  id: string;
  name: string;
  capabilities: { limits: { max_context_window_tokens: number } };
}

export interface FoundInstruction {
  sourcePath: string;
  content: string;
}

export interface FoundAgent {
  id: string;
  name: string;
  displayName: string;
  description: string;
  /** The file it is written in; absent for those of an organization. */
  path?: string;
  tools?: string[];
  model?: string;
  skills?: string[];
}

export interface CopilotSessionApi {
  sessionId: string;
  /** The id of the message; `user.message` carries it when its turn comes. */
  send(message: { prompt: string }): Promise<string>;
  abort(): Promise<void>;
  disconnect(): Promise<void>;
  setModel(model: string): Promise<void>;
  rpc: {
    instructions: { getSources(): Promise<{ sources: { id: string; location: string }[] }> };
    options: { update(options: { disabledInstructionSources: string[] }): Promise<unknown> };
    metadata: {
      activity(): Promise<{ hasActiveWork: boolean }>;
      contextInfo(request: { promptTokenLimit: number; outputTokenLimit: number }): Promise<{
        contextInfo?: { totalTokens: number; limit: number } | null;
      }>;
    };
    tasks: {
      list(): Promise<{ tasks: ProgramTask[] }>;
      cancel(request: { id: string }): Promise<{ cancelled: boolean }>;
    };
    mcp: {
      list(): Promise<{ servers: { name: string; status: string; error?: string }[] }>;
      /** Fails for a server that is not connected. */
      listTools(request: { serverName: string }): Promise<{ tools: { name: string }[] }>;
      enable(request: { serverName: string }): Promise<unknown>;
      disable(request: { serverName: string }): Promise<unknown>;
    };
    history: {
      compact(request: { customInstructions?: string }): Promise<{
        success: boolean;
        tokensRemoved: number;
        summaryContent?: string;
        contextWindow?: { currentTokens: number };
      }>;
    };
  };
}

export interface ProgramTask {
  id: string;
  type: string;
  status: string;
}

export interface SessionConfig {
  clientName: string;
  workingDirectory: string;
  streaming: boolean;
  model?: string;
  provider?: CopilotProvider;
  systemMessage?: { mode: "append"; content: string };
  tools?: ProgramTool[];
  availableTools?: string[];
  excludedTools?: string[];
  customAgents?: CustomAgent[];
  skillDirectories?: string[];
  enableSkills?: boolean;
  enableConfigDiscovery: boolean;
  enableFileHooks: boolean;
  enableOnDemandInstructionDiscovery: boolean;
  skipCustomInstructions: boolean;
  onPermissionRequest: (request: {
    readonly managedApprovalRequired?: boolean;
  }) => { kind: "approve-once" } | { kind: "reject"; feedback: string };
  onUserInputRequest: (request: UserInputQuestion) => Promise<{ answer: string; wasFreeform: boolean }>;
}

export interface UserInputQuestion {
  question: string;
  choices?: string[];
  allowFreeform?: boolean;
}

export interface CustomAgent {
  name: string;
  displayName?: string;
  description?: string;
  prompt: string;
  tools?: string[] | null;
  model?: string;
  skills?: string[];
}

export interface ProgramTool {
  name: string;
  description: string;
  parameters: JsonObject;
  skipPermission: boolean;
  handler: (
    input: unknown,
    invocation: { signal?: AbortSignal },
  ) => Promise<{ textResultForLlm: string; resultType: "success" | "failure" }>;
}

/** A model's service of the user's own, in place of GitHub's. */
export interface CopilotProvider {
  baseUrl: string;
  type?: "openai" | "azure" | "anthropic";
  wireApi?: "completions" | "responses";
  transport?: "http" | "websockets";
  apiKey?: string;
  bearerToken?: string;
  azure?: { apiVersion?: string };
  headers?: Record<string, string>;
  modelId?: string;
  wireModel?: string;
  maxPromptTokens?: number;
  maxOutputTokens?: number;
}

/**
 * The answer to `method`, which has the shape that its caller says: the program's own version decides, not this file.
 */
export type CallProgram = <Answer extends object>(method: string, params: object) => Promise<Answer>;
