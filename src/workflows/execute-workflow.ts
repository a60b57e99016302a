// A workflow for programs that use the library: a definition, a prompt and a client are enough. Everything else has a
// default; names are looked up in what `initializeWorkflowsSDK` found. The run itself is that of every other workflow
// (executor.ts): a journal, a folder, limits, sub-agents, failover.

import { join, resolve } from "node:path";
import type { ProgramSandbox } from "../agents/process/sandbox/program-sandbox.ts";
import { clientList, clientOf, defaultAgentType } from "../agents/client-source.ts";
import { offeredOf } from "../agents/connect-clients.ts";
import type { RunEvent } from "../events/run-event.ts";
import { FileSaver } from "../journal/files/file-saver.ts";
import type { JournalStore } from "../journal/port.ts";
import { AtomicError } from "../lib/errors.ts";
import { atomicHome } from "../lib/home-folder.ts";
import type { Json } from "../lib/json.ts";
import { createRedactor } from "../lib/redact.ts";
import type { WorkflowDefinition, WorkflowOptionValue } from "./definition.ts";
import { runWorkflow, type WorkflowExecutionResult } from "./executor.ts";
import type { AgentClientRef, ClientSource } from "./graph/model/client-source.ts";
import { getDefaultRuntime } from "./graph/model/default-runtime.ts";
import type { EntitySource } from "./graph/model/entities.ts";
import type { ToolSource, WorkflowResolver } from "./graph/model/runtime.ts";
import type { QuestionPolicy } from "./graph/run/run-control.ts";
import { defaultRunLimits, type RunLimits } from "./limits/run-limits.ts";
import type { RunAgents } from "./run-agents.ts";
import { JournalRunStore } from "./sessions/journal-run-store.ts";

export interface ExecuteWorkflowOptions {
  /**
   * An agent client (`atomic/agents`), or several in order of preference. They stay open. Default: those of
   * `setClientProvider`.
   */
  readonly client?: AgentClientRef | readonly AgentClientRef[] | undefined;
  readonly prompt?: string | undefined;
  /** Values of the workflow's own options. */
  readonly options?: Readonly<Record<string, WorkflowOptionValue | undefined>> | undefined;
  /** The folder the agents work in; default: the current one. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** Whether agents load the project's own settings, and commands in its files may run; default false. */
  readonly isProjectTrusted?: boolean | undefined;
  readonly limits?: Partial<RunLimits> | undefined;
  readonly questions?: QuestionPolicy | undefined;
  readonly answers?: Readonly<Record<string, Json>> | undefined;
  /** A run to resume; default: a new one. */
  readonly resume?: string | undefined;
  /** What keeps the journal; default: files in `dir`. */
  readonly store?: JournalStore | undefined;
  /** Holds a folder for each run; default `~/.atomic/workflows/library`. */
  readonly dir?: string | undefined;
  readonly entities?: EntitySource | undefined;
  readonly workflows?: WorkflowResolver | undefined;
  readonly tools?: ToolSource | undefined;
  /**
   * What checks of work trees run in (`createSandbox` of `atomic/agents`). Give it to the clients too: each starts its
   * agent's program in it. It stays open.
   */
  readonly sandbox?: ProgramSandbox | undefined;
  /**
   * Masks secrets in everything that is recorded. Default: the values of environment variables whose names or forms say
   * that they are secret. `false`: nothing is masked.
   */
  readonly redact?: ((text: string) => string) | false | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

export async function executeWorkflow(
  definition: WorkflowDefinition,
  options: ExecuteWorkflowOptions = {},
): Promise<WorkflowExecutionResult> {
  const defaults = getDefaultRuntime();
  const source = options.client === undefined ? defaults.clients?.source : options.client;
  if (source === undefined) throw noClient(definition.name);
  // What was said for the default clients is not said for others.
  const usual = options.client === undefined ? (defaults.clients?.options ?? {}) : {};
  const { entities = defaults.entities ?? noEntities } = options;
  const { cwd = usual.cwd ?? process.cwd(), model = usual.model } = options;
  const { isProjectTrusted = usual.isProjectTrusted ?? false } = options;
  const { redact = defaults.redact ?? createRedactor(process.env) } = options;
  const dir = resolve(options.dir ?? defaultDir());
  const journal = options.store ?? new FileSaver({ dir: join(dir, "journals") });
  return runWorkflow(
    definition,
    {
      run: options.resume ?? defaults.ids.next(),
      resume: options.resume !== undefined,
      prompt: options.prompt ?? "",
      options: { ...defaultOptions(definition), ...options.options },
      cwd: resolve(cwd),
      model,
      isProjectTrusted,
      limits: { ...defaultRunLimits, ...options.limits },
      questions: options.questions ?? "suspend",
      answers: options.answers,
      signal: options.signal,
      onEvent: options.onEvent,
    },
    {
      store: new JournalRunStore({ journal, dir }),
      agents: await agentsOf(source, usual.agentType),
      agent: (name) => entities.agent(name),
      entities,
      workflows: options.workflows ?? defaults.workflows ?? (() => null),
      tools: options.tools ?? defaults.tools,
      sandbox: options.sandbox,
      subagents: offeredOf(entities, isProjectTrusted),
      redact: redact === false ? undefined : redact,
    },
  );
}

async function agentsOf(source: ClientSource, agentType = defaultAgentType): Promise<RunAgents> {
  const preferred = typeof source === "function" ? ([await clientOf(source, agentType)] as const) : clientList(source);
  return { preferred, clientOf: (type) => clientOf(source, type) };
}

function noClient(name: string): AtomicError {
  return new AtomicError(
    "RUNTIME_MISSING",
    `executeWorkflow: the workflow "${name}" has no agent. Pass a \`client\`, or call setClientProvider().`,
  );
}

/** Separate from the runs of the command line, which are stored in another form. */
function defaultDir(): string {
  return join(atomicHome(process.env), "workflows", "library");
}

function defaultOptions({ options = {} }: WorkflowDefinition): Readonly<Record<string, WorkflowOptionValue>> {
  const given = Object.entries(options).flatMap(([name, { type, default: usual }]) => {
    if (usual !== undefined) return [[name, usual as WorkflowOptionValue]];
    return type === "boolean" ? [[name, false]] : [];
  });
  return Object.fromEntries(given) as Readonly<Record<string, WorkflowOptionValue>>;
}

const missing = (what: string, name: string): never => {
  throw new AtomicError(
    "RUNTIME_MISSING",
    `The ${what} "${name}" is looked up by its name, and nothing is registered. Call initializeWorkflowsSDK(), or pass \`entities\`.`,
  );
};

const noEntities: EntitySource = {
  skill: (name) => missing("skill", name),
  command: (name) => missing("command", name),
  agent: (name) => missing("agent", name),
};
