// `atomic/types`: types only; importing it loads no code.

export type { ErrorCode } from "../lib/errors.ts";
export type { Json, JsonObject } from "../lib/json.ts";
export type { JournalEvent, RunInfo, RunRequest, Snapshot, StoredEvent } from "../journal/port.ts";
export type { Task, TasksFile } from "../tasks/tasks-json.ts";
export type { WorkflowTask, WorkflowTaskStatus } from "../tasks/workflow-task.ts";
export type { WorkflowBridge } from "../workflows/graph/model/bridge.ts";
export type { WorkflowGraphConfig } from "../workflows/graph/build/compile-config.ts";
export type { CompiledGraph } from "../workflows/graph/compile/compiled-graph.ts";
export type { CompiledSubgraph } from "../workflows/graph/model/compiled-subgraph.ts";
export type { Edge } from "../workflows/graph/model/edge.ts";
export type {
  ExecutionContext,
  NodeDefinition,
  NodeResult,
  NodeType,
  RetryConfig,
} from "../workflows/graph/model/node.ts";
export type { BaseState, StateAnnotations, StateUpdate, WorkflowState } from "../workflows/graph/model/state.ts";
export type {
  StartParams,
  StartPlan,
  TaskSource,
  WorkflowDefinition,
  WorkflowFactory,
  WorkflowMetadata,
  WorkflowOption,
  WorkflowOptionValue,
  WorkflowStateParams,
} from "../workflows/definition.ts";
export type { WorkflowExecutionResult } from "../workflows/executor.ts";
