// How ralph was started, read from its options before there is a run: its mode, its settings, where its tasks
// come from. What can't work is refused here, so that nothing is left behind.

import { tmpdir } from "node:os";
import { AtomicError } from "../../lib/errors.ts";
import { Git } from "../git/git.ts";
import type { StartParams, StartPlan } from "../definition.ts";
import { parseChecks } from "../run-checks.ts";
import { loadTasks } from "./inputs.ts";
import { requireIsolation } from "./isolation.ts";
import type { RalphSettings, RalphState } from "./state.ts";
import type { LandTarget } from "../worktrees/land-run.ts";

export interface StartMode {
  readonly mode: RalphState["mode"];
  /** The task list that was named. */
  readonly list: string | null;
}

/** Throws USAGE for options that contradict each other. */
export function startMode({ prompt, options }: Pick<StartParams, "prompt" | "options">): StartMode {
  const hasPrompt = prompt.trim() !== "";
  const list = textOf(options, "feature-list");
  if (options["yolo"] === true) {
    if (!hasPrompt) throw usage('Yolo mode requires a prompt. Use: /ralph --yolo "your task"');
    if (list !== null) throw usage("Yolo mode has no task list. Leave out --yolo, or --feature-list.");
  }
  const mode = options["yolo"] === true ? "yolo" : hasPrompt && list === null ? "plan" : "tasks";
  if (mode !== "tasks") {
    for (const name of ["remaining", "redo", "write-back"])
      if (options[name] === true) throw usage(`--${name} is for task lists, and this run has none. Leave it out.`);
  }
  if (options["remaining"] === true && options["redo"] === true)
    throw usage("--remaining and --redo contradict each other. Leave one of them out.");
  return { mode, list };
}

export function startSettings(options: StartParams["options"]): RalphSettings {
  const settings = {
    workers: whole(options["workers"], "workers", 1),
    maxTries: whole(options["max-tries"], "max-tries", 1),
    maxReviews: whole(options["max-reviews"], "max-reviews", 0),
    maxStuck: whole(options["max-stuck"], "max-stuck", 0),
    verify: parseChecks(options["verify"]),
    writeBack: options["write-back"] === true,
    pr: options["pr"] === true,
    prBase: textOf(options, "pr-base"),
    prTitle: textOf(options, "pr-title"),
    isolate: switchOf(options["isolate"]),
    land: landTarget(textOf(options, "land")),
  };
  for (const [name, value] of [["pr-base", settings.prBase] as const, ["pr-title", settings.prTitle] as const]) {
    if (value === null) continue;
    if (!settings.pr) throw usage(`--${name} requires --pr. Add it, or leave --${name} out.`);
    if (value.trim() === "") throw usage(`--${name} is empty. Say something, or leave it out.`);
  }
  return settings;
}

export async function beforeStart(params: StartParams): Promise<StartPlan> {
  const { mode, list } = startMode(params);
  const settings = startSettings(params.options);
  if (settings.pr) await requireRemote(params.cwd, settings.prBase ?? null);
  if (settings.pr && settings.land !== "tree")
    throw usage(`--pr needs the work in your folder, and --land ${settings.land ?? ""} keeps it out. Leave one out.`);
  // Where the trees will be depends on the run, which does not exist yet; that they fit there is checked when it does.
  await requireIsolation({ mode, cwd: params.cwd, settings, treesDir: tmpdir() });
  if (mode !== "tasks") return {};
  const { remaining, redo } = params.options;
  const { path, tasks } = loadTasks(list, params.cwd, redo === true);
  return {
    tasks: { file: path, tasks, earlierWork: remaining === true ? "leave-out" : redo === true ? "redo" : "ask" },
  };
}

/** A pull request that can't be made is refused before hours of work, not after them. */
async function requireRemote(cwd: string, base: string | null): Promise<void> {
  const found = await Git.atTop(cwd);
  if (found === undefined) throw usage(`--pr needs a git repository, and ${cwd} is in none. Leave --pr out.`);
  if ("problem" in found) throw usage(`--pr needs a git repository that can be used: ${found.problem}`);
  const remotes = (await found.git.run(["remote"])).stdout.toString("utf8").trim();
  if (remotes === "")
    throw usage(
      `--pr needs somewhere to push to, and ${found.top} has no remote. Add one with git remote add, or leave --pr out.`,
    );
  if (base === null) return;
  const { ok } = await found.git.run(["check-ref-format", "--branch", base]);
  if (!ok) throw usage(`--pr-base ${JSON.stringify(base)} can't be the name of a branch.`);
}

function textOf(options: StartParams["options"], name: string): string | null {
  const value = options[name];
  return typeof value === "string" ? value : null;
}

function switchOf(value: unknown): boolean | "auto" {
  return typeof value === "boolean" ? value : "auto";
}

function landTarget(written: string | null): LandTarget {
  if (written === null) return "tree";
  if (written === "tree" || written === "branch" || written === "none") return written;
  throw usage(`--land must be tree, branch or none, is ${JSON.stringify(written)}.`);
}

function whole(value: unknown, name: string, least: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least) return value;
  throw usage(`--${name} must be a whole number of at least ${least}, not ${String(value)}.`);
}

function usage(message: string): AtomicError {
  return new AtomicError("USAGE", message);
}
