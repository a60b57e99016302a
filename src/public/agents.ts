// `atomic/agents`: the agent port and its backends.

export type {
  AgentClient,
  AgentDefinition,
  AgentSession,
  BackendReport,
  CompactResult,
  ContextUsage,
  ModelInfo,
  OpenOptions,
  TurnOptions,
} from "../agents/port.ts";
export { type AgentTool, type AgentToolResult, type AgentToolSpec, defineAgentTool } from "../agents/agent-tool.ts";
export { type Capabilities, type Capability, type CapabilityName, capabilityNames } from "../agents/capabilities.ts";
export { type AgentEvent, isTerminal, type TerminalEvent } from "../agents/events.ts";
export { type FailureKind, failureKinds, turnError, type TurnFailure } from "../agents/failures.ts";
export { defaultTurnLimits, type TurnLimits } from "../agents/limits.ts";
export {
  answer,
  declineAll,
  declined,
  type AgentQuestion,
  type QuestionHandler,
  type QuestionItem,
  type AgentQuestionOption,
  type QuestionReply,
} from "../agents/questions.ts";
export { addUsage, noUsage, totalTokens, type Usage } from "../agents/usage.ts";
export { type AgentClientOptions, createAgentClient } from "../agents/clients/create-agent-client.ts";
export type { BackendOptions } from "../agents/process/backend-host.ts";
export { createSandbox, type SandboxOptions } from "../agents/process/sandbox/create-sandbox.ts";
export type { ProgramSandbox } from "../agents/process/sandbox/program-sandbox.ts";
export { createAcpClient } from "../agents/acp/acp-client.ts";
export { createClaudeClient } from "../agents/claude/claude-client.ts";
export { createCopilotClient } from "../agents/copilot/copilot-client.ts";
export { createOpencodeClient, type OpencodeClientOptions } from "../agents/opencode/opencode-client.ts";
export { createScriptedClient, type ScriptedClientOptions } from "../agents/scripted/scripted-client.ts";
export { loadScript } from "../agents/scripted/load-script.ts";
export {
  parseScript,
  type Script,
  type ScriptInput,
  type ScriptStep,
  type ScriptTurn,
} from "../agents/scripted/script-schema.ts";
export { createReplayClient, type ReplayClientOptions } from "../agents/replay/replay-client.ts";
export { openRecordingFile, readRecordingFile } from "../agents/replay/recording-file.ts";
export { createRecordingClient, type RecordingOptions } from "../agents/replay/recording-client.ts";
