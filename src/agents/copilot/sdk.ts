// The part of @github/copilot-sdk that this folder uses, typed by hand: the package is optional and not installed here.
// The rig in tests/agents checks with the compiler that the real one fits. Only this folder loads it.

import type { JsonObject } from "../../lib/json.ts";
import type { BackendHost } from "../process/backend-host.ts";
import { importSdk } from "../process/import-package.ts";

const sdkPackage = "@github/copilot-sdk";
const installSdk = `npm install -g ${sdkPackage}`;

export interface CopilotSdk {
  CopilotClient: new (options: { connection: CopilotConnection }) => SdkClient;
  RuntimeConnection: { forUri(url: string, options: { connectionToken: string }): CopilotConnection };
}

/** How to reach a running program: made by the SDK, looked into by nobody else. */
export interface CopilotConnection {
  readonly kind: "uri";
  readonly url: string;
}

export interface SdkClient {
  start(): Promise<void>;
  /** Closes the connection; a program that the SDK did not start goes on. */
  stop(): Promise<Error[]>;
  getStatus(): Promise<{ version: string; protocolVersion: number }>;
  getAuthStatus(): Promise<{ isAuthenticated: boolean; statusMessage?: string }>;
  listModels(): Promise<SdkModel[]>;
  createSession(config: SdkSessionConfig & { sessionId?: string }): Promise<SdkSession>;
  resumeSession(sessionId: string, config: SdkSessionConfig): Promise<SdkSession>;
  rpc: {
    instructions: { discover(request: NoRequest): Promise<{ sources: SdkInstruction[] }> };
    skills: { getDiscoveryPaths(request: NoRequest): Promise<{ paths: { path: string }[] }> };
    agents: { discover(request: NoRequest): Promise<{ agents: SdkAgent[] }> };
  };
}

/** Without a project: what the person's own configuration has. */
export type NoRequest = { projectPaths?: string[] };

export interface SdkModel {
  id: string;
  name: string;
  capabilities: { limits: { max_context_window_tokens: number } };
}

export interface SdkInstruction {
  sourcePath: string;
  content: string;
}

export interface SdkAgent {
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

export interface SdkSession {
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
      list(): Promise<{ tasks: SdkTask[] }>;
      cancel(request: { id: string }): Promise<{ cancelled: boolean }>;
    };
    history: {
      compact(request: { customInstructions?: string }): Promise<{
        success: boolean;
        tokensRemoved: number;
        contextWindow?: { currentTokens: number };
      }>;
    };
  };
}

/** The program knows more events than the SDK's types: read-event.ts takes them as they come. */
export interface SdkEvent {
  type: string;
  agentId?: string | undefined;
  data: unknown;
}

export interface SdkTask {
  id: string;
  type: string;
  status: string;
}

export interface SdkSessionConfig {
  clientName: string;
  workingDirectory: string;
  streaming: boolean;
  model?: string;
  provider?: CopilotProvider;
  systemMessage?: { mode: "append"; content: string };
  tools?: SdkTool[];
  availableTools?: string[];
  excludedTools?: string[];
  customAgents?: SdkCustomAgent[];
  skillDirectories?: string[];
  enableSkills?: boolean;
  enableConfigDiscovery: boolean;
  enableFileHooks: boolean;
  enableOnDemandInstructionDiscovery: boolean;
  skipCustomInstructions: boolean;
  onPermissionRequest: (request: {
    readonly managedApprovalRequired?: boolean;
  }) => { kind: "approve-once" } | { kind: "reject"; feedback: string };
  onUserInputRequest: (request: SdkQuestion) => Promise<{ answer: string; wasFreeform: boolean }>;
}

export interface SdkQuestion {
  question: string;
  choices?: string[];
  allowFreeform?: boolean;
}

export interface SdkCustomAgent {
  name: string;
  displayName?: string;
  description?: string;
  prompt: string;
  tools?: string[] | null;
  model?: string;
  skills?: string[];
}

export interface SdkTool {
  name: string;
  description: string;
  parameters: JsonObject;
  skipPermission: boolean;
  handler: (
    input: unknown,
    invocation: { signal?: AbortSignal },
  ) => Promise<{ textResultForLlm: string; resultType: "success" | "failure" }>;
}

/** A model's service of the person's own, in place of GitHub's. */
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

/** Throws AGENT_UNAVAILABLE when the package is missing or is another than expected. */
export function loadCopilotSdk(host: BackendHost, cwd: string): Promise<CopilotSdk> {
  return importSdk(host, cwd, { name: sdkPackage, install: installSdk, isSdk: isCopilotSdk });
}

function isCopilotSdk(module: object): module is CopilotSdk {
  if (!("CopilotClient" in module) || typeof module.CopilotClient !== "function") return false;
  if (!("RuntimeConnection" in module) || typeof module.RuntimeConnection !== "object") return false;
  return module.RuntimeConnection !== null && "forUri" in module.RuntimeConnection;
}
