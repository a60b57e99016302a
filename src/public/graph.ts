// `atomic/workflows/graph`: the engine. Imports no package and no built-in module, now or later, so that it runs in
// browsers and on edge runtimes too. Where there are files, graph-with-files.ts takes its place.

export { AtomicError, type AtomicErrorOptions, type ErrorCode } from "../lib/errors.ts";
export type { Json, JsonObject } from "../lib/json.ts";
export { type Clock, systemClock } from "../lib/clock.ts";
export type {
  JournalEvent,
  JournalHandle,
  JournalStore,
  JournalOpenOptions,
  OwnerState,
  PendingRequest,
  ReadOptions,
  RunInfo,
  RunRequest,
  Snapshot,
  StoredEvent,
} from "../journal/port.ts";
export { MemorySaver } from "../journal/memory.ts";

export { graph, GraphBuilder, type LoopConfig } from "../workflows/graph/build/builder.ts";
export { compileGraphConfig, type WorkflowGraphConfig } from "../workflows/graph/build/compile-config.ts";
export { CompiledGraph, type CompileOptions } from "../workflows/graph/compile/compiled-graph.ts";
export type { CompiledSubgraph } from "../workflows/graph/model/compiled-subgraph.ts";
export {
  getDefaultRuntime,
  getWorkflowResolver,
  resolveWorkflowRef,
  setClientProvider,
  setDefaultRuntime,
  setWorkflowResolver,
  type SyncWorkflowResolver,
} from "../workflows/graph/model/default-runtime.ts";
export type { AgentRunOptions } from "../workflows/graph/model/agent-source.ts";
export type { AgentClientRef, ClientProvider, ClientSource } from "../workflows/graph/model/client-source.ts";
export type {
  AgentCallContext,
  SessionContextUsage,
  SubagentResult,
  SubagentSpawnOptions,
  WorkflowBridge,
} from "../workflows/graph/model/bridge.ts";
export type { EntityPrompt, EntitySource } from "../workflows/graph/model/entities.ts";
export type { Edge } from "../workflows/graph/model/edge.ts";
export type { EngineEvent, ErrorRecord, PauseReason } from "../events/engine-events.ts";
export type { ReportedEvent } from "../events/reported-events.ts";
export {
  type CustomEvent,
  type KnownEvent,
  readEvent,
  type RunEvent,
  type RunEventOf,
  type UnknownEvent,
} from "../events/run-event.ts";
export { cancelRun, type CancelResult } from "../workflows/graph/run/cancel-run.ts";
export { executeGraph } from "../workflows/graph/run/execute.ts";
export { pauseWith } from "../workflows/graph/model/pause-with.ts";
export type { ExecuteOptions, ExecutionResult, JournalOptions } from "../workflows/graph/run/execute-options.ts";
export { fingerprintOf } from "../workflows/graph/compile/fingerprint.ts";
export type {
  Attempt,
  ErrorAction,
  ErrorHandler,
  ExecutionContext,
  NodeBody,
  NodeDefinition,
  NodeFailure,
  NodeId,
  NodeResult,
  NodeType,
  ParallelStrategy,
  RetryConfig,
} from "../workflows/graph/model/node.ts";
export type {
  KeptWork,
  LandOptions,
  Worktree,
  WorktreeCheck,
  WorktreeLanding,
  WorktreeSource,
  WorktreeVisit,
} from "../workflows/graph/model/worktree.ts";
export { createNode, type CreateNodeConfig } from "../workflows/graph/nodes/create-node.ts";
export {
  createDecisionNode,
  decisionNode,
  type DecisionNodeConfig,
  type DecisionRoute,
} from "../workflows/graph/nodes/decision.ts";
export { mapNode, type MapItem, type MapNodeConfig } from "../workflows/graph/nodes/map.ts";
export { type BranchSource, parallelNode, type ParallelNodeConfig } from "../workflows/graph/nodes/parallel.ts";
export { subagentNode, type SubagentNodeConfig } from "../workflows/graph/nodes/subagent.ts";
export { subgraphNode, type SubgraphNodeConfig, type SubgraphRef } from "../workflows/graph/nodes/subgraph.ts";
export {
  customToolNode,
  type CustomToolNodeConfig,
  toolNode,
  type ToolNodeConfig,
  type ToolOutputMapper,
} from "../workflows/graph/nodes/tool.ts";
export {
  askUserNode,
  type AskUserNodeConfig,
  createWaitNode,
  waitNode,
  type WaitNodeConfig,
} from "../workflows/graph/nodes/wait.ts";
export type { OpenQuestion, Question, QuestionOption } from "../workflows/graph/model/question.ts";
export type { QuestionPolicy } from "../workflows/graph/run/run-control.ts";
export {
  createRuntime,
  type Runtime,
  type Tool,
  type ToolContext,
  type ToolSource,
  type WorkflowResolver,
} from "../workflows/graph/model/runtime.ts";
export {
  type Annotation,
  annotation,
  AtomicStateAnnotation,
  type BaseState,
  type Reducer,
  Reducers,
  type StateAnnotations,
  type StateOf,
  type StateUpdate,
  type WorkflowState,
} from "../workflows/graph/model/state.ts";
export type { StepResult } from "../workflows/graph/model/step-result.ts";
export type { RunWarning } from "../workflows/graph/record/warnings.ts";
export { streamGraph } from "../workflows/graph/stream/stream.ts";
export { type StreamEvent, type StreamMode, StreamRouter } from "../workflows/graph/stream/stream-router.ts";
export {
  mapReduce,
  type MapReduceConfig,
  reviewCycle,
  type ReviewCycleConfig,
  sequential,
  taskLoop,
  type TaskLoopTemplateConfig,
} from "../workflows/graph/build/templates.ts";

export { agentNode, type AgentNodeConfig } from "../nodes/agent.ts";
export type { AgentOutputMapper, PromptSource } from "../nodes/agent-turn.ts";
export {
  clearContextNode,
  type ClearContextNodeConfig,
  contextMonitorNode,
  type ContextMonitorNodeConfig,
} from "../nodes/context.ts";
export { criteriaLoopNode, type CriteriaLoopConfig } from "../nodes/criteria-loop.ts";
export {
  parallelSubagentNode,
  type ParallelSubagent,
  type ParallelSubagentNodeConfig,
} from "../nodes/parallel-subagents.ts";
export { commandNode, type CommandNodeConfig, skillNode, type SkillNodeConfig } from "../nodes/skill.ts";
export { taskLoopNode } from "../nodes/task-loop.ts";
export type { TaskLoopConfig, TaskLoopState } from "../nodes/task-loop-config.ts";
