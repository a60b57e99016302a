// `atomic resume [ID]`, and `atomic run WORKFLOW --resume ID`: the run goes on with what it was started with, but for
// what is typed anew.

import { createRunApp, type RunApp } from "../../app/run-app.ts";
import type { RunPage } from "../../app/runs-read.ts";
import { type OptionValues, parseWords } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";
import { safeJson } from "../../lib/safe-json.ts";
import type { CliContext } from "../command.ts";
import type { Io } from "../io.ts";
import { reportText } from "../print/report-text.ts";
import { askTrustAtTerminal } from "./ask-trust.ts";
import { driveRun } from "./drive-run.ts";
import { enterFolder } from "./enter-folder.ts";
import { agentFrom, limitsFrom, resumeTermOptions, textOf } from "../../app/runs/run-options.ts";

export interface ResumeWords {
  readonly id?: string | undefined;
  readonly values: OptionValues;
  readonly takeOver?: boolean | undefined;
  /** The workflow that it must be a run of. */
  readonly workflow?: string | undefined;
}

const resumeOption = { resume: { type: "string", value: "ID", description: "the run to go on with" } } as const;

/** The form of the workflow's own command. Its prompt and options are on record, so none are taken here. */
export function resumeWithWords(workflow: string, words: readonly string[], context: CliContext): Promise<number> {
  const subject = `atomic run ${safeLine(workflow, 60)} --resume`;
  const { values, rest } = parseWords(words, { ...resumeTermOptions, ...resumeOption }, subject);
  if (rest.length > 0) {
    throw new AtomicError("USAGE", `A run that goes on keeps its prompt; leave "${safeLine(rest.join(" "), 60)}" out.`);
  }
  const id = typeof values["resume"] === "string" ? values["resume"] : undefined;
  return resumeRun({ id, values, workflow }, context);
}

export async function resumeRun(words: ResumeWords, { parts, io }: CliContext): Promise<number> {
  const { values } = words;
  const app = createRunApp(parts);
  const page = await findRun(app, words, parts.place.projectDir);
  const { id } = page.view;
  // Killed right after its end, or resumed once more by a script: there is nothing left to do, and that is a success.
  if (page.status === "completed") return reportCompleted(page.view, values, io);
  if (page.status === "failed" || page.status === "cancelled") {
    throw new AtomicError(
      "RUN_FINISHED",
      `Run ${id} is over (${page.status}), so there is nothing to resume. Start a new run.`,
    );
  }
  io.claimOutput();
  const facts = await app.runs.startFacts(id);
  const isTrustedForThisRun = values["trust"] === true;
  const agent = { ...agentFrom(values, { kind: facts.agentKind, script: facts.script }), programs: app.programs };
  const project = app.openProject({
    cwd: facts.cwd,
    isTrustedForThisRun,
    agent: agent.kind,
    askTrust: askTrustAtTerminal(io, values),
    onNotice: (text) => io.warn(`notice: ${safeLine(text, 1000)}`),
  });
  const definition = await project.workflow(facts.workflow);
  if (words.workflow !== undefined && project.usage(words.workflow).name !== definition.name) {
    throw new AtomicError(
      "USAGE",
      `Run ${id} is of the workflow ${definition.name}, not of ${safeLine(words.workflow, 60)}. Go on with: atomic resume ${id}`,
    );
  }
  const model = textOf(values, "model") ?? facts.model;
  return driveRun({
    app,
    io,
    values,
    noQuestions: values["no-questions"] === true || (facts.noQuestions && values["ask"] !== true),
    workflow: definition.name,
    isCustom: definition.source === "local" || definition.source === "global",
    limits: limitsFrom(values, facts.limits),
    known: page.view,
    launch: (terms) => {
      enterFolder(project.cwd);
      return app.runs.resume({
        ...terms,
        agent,
        model,
        project,
        definition,
        facts,
        takeOver: words.takeOver,
        isTrustedForThisRun,
      });
    },
  });
}

/** Says again what the run came to; as JSON, its last event. */
function reportCompleted(view: SessionView, values: OptionValues, io: Io): number {
  if (values["json"] === true) {
    const end = view.recent.at(-1);
    if (end !== undefined) io.print(safeJson({ runId: view.id, ...end }));
    return 0;
  }
  if (values["quiet"] !== true) io.warn(`Run ${view.id} is already completed; nothing is left to do.`);
  if (view.report !== undefined) io.print(reportText(view.report));
  return 0;
}

async function findRun(app: RunApp, { id, takeOver }: ResumeWords, cwd: string): Promise<RunPage> {
  if (id !== undefined) return app.runs.page(id);
  // A run whose process can't be seen from here comes last: resuming it says what to do about that.
  const newest =
    (takeOver === true ? undefined : await app.runs.newest(cwd, "resumable")) ??
    (await app.runs.newest(cwd, "takeable"));
  if (newest !== undefined) return newest;
  throw new AtomicError(
    "RUN_NOT_FOUND",
    `No run of ${cwd} can be resumed. \`atomic sessions\` lists all runs; resume one of another folder by its id.`,
  );
}
