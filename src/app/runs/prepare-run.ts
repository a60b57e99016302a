// Everything between what a user chose and a run that can start: the workflow is found and loaded (which may ask for
// trust), options are parsed by its own declarations, agent and limits are settled, and what a user should decide first
// is named. Nothing is made yet. The same for a run that is resumed, whose record fills in what was not chosen.

import { chatWorkflow } from "../../chat/chat-event.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { TaskSource, WorkflowDefinition, WorkflowOption } from "../../workflows/definition.ts";
import type { RunLimits } from "../../workflows/limits/run-limits.ts";
import { parseAgentOrder } from "../agents.ts";
import type { EarlierWork } from "../earlier-work.ts";
import type { RunApp } from "../run-app.ts";
import type { OpenProjectOptions, RunProject } from "../run-project.ts";
import type { RunPage } from "../run-page.ts";
import type { LiveRun } from "../runs-read.ts";
import type { ResumeRequest, StartRequest } from "../runs-start.ts";
import { peekWords } from "./peek-words.ts";
import { agentFrom, limitsFrom, runChoicesOf, type RunChoices } from "./run-choices.ts";
import { optionList, runOptions } from "./run-options.ts";
import { parseWorkflowWords } from "./workflow-words.ts";

/** What a front end does for a run before it starts. */
export interface PreparePorts {
  /** Shows what is not trusted yet, and whether the user trusts it now. Absent if no user can be asked. */
  readonly askTrust?: OpenProjectOptions["askTrust"];
  /** What a user should hear: files that were skipped, names that hide a built-in, settings that don't count. */
  readonly onNotice?: OpenProjectOptions["onNotice"] | undefined;
}

/** A workflow by name, and either typed choices or the words that follow its name on a command line. */
export type StartOptions = { readonly workflow: string } & (
  | { readonly words: readonly string[] }
  | (RunChoices & {
      readonly words?: undefined;
      readonly prompt?: string | undefined;
      /** Values of the workflow's own options, by the names it declares. */
      readonly options?: OptionValues | undefined;
      /** Commands that must succeed before work counts as done. */
      readonly verify?: readonly string[] | undefined;
    })
);

export interface ResumeOptions extends RunChoices {
  /** Absent: the newest of the folder that can be resumed. */
  readonly run?: string | undefined;
  /** The workflow that it must be a run of. */
  readonly workflow?: string | undefined;
  /** Also when its owner can't be seen from here. */
  readonly takeOver?: boolean | undefined;
  /** Ask questions again, in a run that was started without. */
  readonly asksAgain?: boolean | undefined;
}

/** What is settled before a run starts or is resumed. */
interface PreparedRun {
  readonly workflow: string;
  /** Its code is an author's. */
  readonly isCustom: boolean;
  readonly cwd: string;
  readonly limits: RunLimits;
  readonly noQuestions: boolean;
  /** How long a node may show no activity before it is reported; 0 = forever. */
  readonly quietAfterMs: number;
  readonly answers: RunChoices["answers"];
  /** Other runs that work in the folder, or on the task list, right now, unless the user said that it does not matter. */
  readonly live: readonly LiveRun[];
}

export interface PreparedStart extends PreparedRun {
  /** Where its tasks come from. */
  readonly tasks?: TaskSource | undefined;
  /** Earlier runs completed some of its tasks: the user chooses what to do about them. */
  readonly earlier?: EarlierWork | undefined;
  readonly request: Omit<StartRequest, "questions" | "limits" | "answers">;
}

export interface PreparedResume extends PreparedRun {
  readonly page: RunPage;
  readonly request: Omit<ResumeRequest, "questions" | "limits" | "answers">;
}

export async function prepareStart(app: RunApp, options: StartOptions, ports: PreparePorts): Promise<PreparedStart> {
  const { workflow: name } = options;
  const early: RunChoices =
    options.words === undefined
      ? options
      : runChoicesOf(peekWords(options.words, `atomic run ${safeLine(name, 60)}`).values);
  const [kind, ...others] = parseAgentOrder(app.settings.text("agent") ?? "claude");
  const fallback = { kind, others };
  const project = openProject(app, early, early.agent === undefined ? kind : parseAgentOrder(early.agent)[0], ports);
  for (const { message, at } of app.settings.problems) ports.onNotice?.(`${at}: ${message}`);
  const definition = await project.workflow(name);
  const { prompt, values, choices } = parsed(definition, options, early);
  const agent = { ...agentFrom(choices, fallback), programs: app.programs };
  const request = { definition, prompt, options: values };
  const { tasks, earlier } = await app.runs.prepareStart({ ...request, cwd: project.cwd });
  return {
    ...common(app, definition, project, choices),
    live: choices.isConcurrent === true ? [] : await app.runs.live({ cwd: project.cwd, taskSource: tasks?.file }),
    limits: limitsFrom(choices.limits ?? {}, app.limitsFor(definition)),
    tasks,
    earlier,
    request: {
      ...request,
      agent,
      model: choices.model ?? app.settings.text("model"),
      sandbox: choices.sandbox ?? app.sandboxMode,
      project,
      taskSource: tasks?.file,
    },
  };
}

/** Throws RUN_NOT_FOUND; `page.status` shows a run that is over, which has no request. */
export async function prepareResume(
  app: RunApp,
  page: RunPage,
  choices: ResumeOptions,
  ports: PreparePorts,
): Promise<PreparedResume> {
  const { id } = page.view;
  const facts = await app.runs.startFacts(id);
  if (facts.workflow === chatWorkflow) {
    throw new AtomicError("USAGE", `Run ${id} is a chat. Continue it with: atomic chat --resume ${id}`);
  }
  const agent = {
    ...agentFrom(choices, { kind: facts.agentKind, others: facts.otherAgents, script: facts.script }),
    programs: app.programs,
  };
  const project = openProject(app, choices, agent.kind, ports, facts.cwd);
  const definition = await project.workflow(facts.workflow);
  if (choices.workflow !== undefined && project.usage(choices.workflow).name !== definition.name) {
    throw new AtomicError(
      "USAGE",
      `Run ${id} is of the workflow ${definition.name}, not of ${safeLine(choices.workflow, 60)}. Resume it with: atomic resume ${id}`,
    );
  }
  return {
    ...common(app, definition, project, choices),
    live: choices.isConcurrent === true ? [] : await liveBeside(app, page),
    limits: limitsFrom(choices.limits ?? {}, facts.limits),
    noQuestions: choices.noQuestions === true || (facts.noQuestions && choices.asksAgain !== true),
    page,
    request: {
      agent,
      model: choices.model ?? facts.model,
      sandbox: choices.sandbox ?? facts.sandbox,
      project,
      definition,
      facts,
      takeOver: choices.takeOver,
      isTrustedForThisRun: choices.isTrusted,
    },
  };
}

/** The run itself may be live too; opening it says so. */
async function liveBeside({ runs }: RunApp, { view }: RunPage): Promise<readonly LiveRun[]> {
  const live = await runs.live({ cwd: view.cwd, taskSource: view.taskSource });
  return live.filter(({ id }) => id !== view.id);
}

function openProject(
  app: RunApp,
  choices: RunChoices,
  agent: string,
  { askTrust, onNotice = () => undefined }: PreparePorts,
  cwd?: string,
): RunProject {
  return app.openProject({ cwd, isTrustedForThisRun: choices.isTrusted === true, agent, askTrust, onNotice });
}

function common(
  { quietAfterMs }: RunApp,
  { name, source }: WorkflowDefinition,
  { cwd }: RunProject,
  { noQuestions = false, answers }: RunChoices,
): Omit<PreparedRun, "limits" | "live"> {
  const isCustom = source === "local" || source === "global";
  return { workflow: name, isCustom, cwd, noQuestions, answers, quietAfterMs };
}

function parsed(
  definition: WorkflowDefinition,
  options: StartOptions,
  early: RunChoices,
): { readonly prompt: string; readonly values: OptionValues; readonly choices: RunChoices } {
  if (options.words !== undefined) {
    const { options: own, run, prompt } = parseWorkflowWords(definition, options.words, runOptions);
    return { prompt, values: { ...own, verify: optionList(run, "verify") }, choices: runChoicesOf(run) };
  }
  const { prompt = "", options: own = {}, verify = [] } = options;
  const declared = definition.options ?? {};
  for (const [name, value] of Object.entries(own)) checkValue(definition.name, name, declared[name], value);
  const { prompt: use = "required" } = definition;
  if (use === "required" && prompt.trim() === "")
    throw new AtomicError("USAGE", `Please provide a prompt for the ${definition.name} workflow.`);
  if (use === "none" && prompt.trim() !== "")
    throw new AtomicError("USAGE", `The ${definition.name} workflow takes no prompt, and got one.`);
  const defaults = Object.entries(declared).map(([name, option]) => [name, option.default ?? emptyOf(option)]);
  return { prompt, values: { ...Object.fromEntries(defaults), ...own, verify }, choices: early };
}

/** A flag that is not given is off, on a command line too. */
function emptyOf({ type }: WorkflowOption): false | undefined {
  return type === "boolean" ? false : undefined;
}

function checkValue(workflow: string, name: string, declared: WorkflowOption | undefined, value: unknown): void {
  if (declared === undefined)
    throw new AtomicError("USAGE", `The ${workflow} workflow has no option "${safeLine(name, 60)}".`);
  // What an option is when it is not given need not be of its type: a flag that is decided later.
  if (value === declared.default) return;
  const isList = declared.repeat === true;
  const values: readonly unknown[] = isList && Array.isArray(value) ? value : [value];
  if (value === undefined || (isList === Array.isArray(value) && values.every((each) => typeof each === declared.type)))
    return;
  throw new AtomicError(
    "USAGE",
    `The option "${name}" must be a ${isList ? "list of " : ""}${declared.type}${isList ? "s" : ""}.`,
  );
}
