// `atomic/workflows`: all that the author of a workflow needs. Everything of the engine is here too.

export * from "./graph-with-files.ts";
export { type CheckpointerOptions, createCheckpointer } from "../journal/create-checkpointer.ts";
export { FileSaver, type FileSaverOptions } from "../journal/files/file-saver.ts";
export { ResearchDirSaver, type ResearchDirSaverOptions } from "../journal/files/research-dir-saver.ts";
export { SessionDirSaver, type SessionDirSaverOptions } from "../journal/files/session-dir-saver.ts";
export type { Task, TasksFile } from "../tasks/tasks-json.ts";
export type { WorkflowTask, WorkflowTaskStatus } from "../tasks/workflow-task.ts";
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
export { executeWorkflow, type ExecuteWorkflowOptions } from "../workflows/execute-workflow.ts";
export type { WorkflowExecutionResult } from "../workflows/executor.ts";
export { createEntityRegistry, type EntityRegistry, entityRegistry } from "../catalog/registry/entity-registry.ts";
export { createNodeEntities } from "../catalog/registry/entity-source.ts";
export { type InitializeOptions, initializeWorkflowsSDK } from "../catalog/registry/initialize-workflows-sdk.ts";
export { getCommandHint } from "../catalog/registry/command-hint.ts";
export {
  type AgentInfo,
  getSubagentRegistry,
  populateSubagentRegistry,
  setSubagentRegistry,
  type SubagentEntry,
  SubagentTypeRegistry,
} from "../catalog/registry/subagent-registry.ts";
export type {
  AgentModel,
  EntityLocation,
  EntityType,
  ProviderType,
  UnifiedEntity,
} from "../catalog/entities/entity.ts";
