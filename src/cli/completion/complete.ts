// What could come next on a command line: commands, options, their values, and names that exist right now. The shells'
// scripts ask `atomic __complete WORDS…`; the last word is the one that is being typed, and may be empty.

import { runOptions } from "../../app/runs/run-options.ts";
import type { App } from "../../app/create-app.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { DeclaredOption, DeclaredOptions } from "../../lib/declared-options.ts";
import { kebabCase } from "../../lib/kebab-case.ts";
import type { CliCommand } from "../command.ts";
import { loadCommands } from "../command-tree.ts";
import { summaries } from "../summaries.ts";
import { shells } from "./shell-scripts.ts";

export interface CompletionWord {
  readonly word: string;
  readonly description: string;
}

const agents = ["claude", "opencode", "copilot", "acp:", "scripted", "replay"];
const maxRuns = 20;
const lastRun: CompletionWord = { word: "@last", description: "the newest run of this folder" };

/** `app` is made only where names are asked for. Nothing where the shell should offer files. */
export async function complete(words: readonly string[], app: () => Promise<App>): Promise<readonly CompletionWord[]> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const candidates = await candidatesAfter(before, typed, app);
  return candidates.filter(({ word }) => word.startsWith(typed));
}

async function candidatesAfter(
  before: readonly string[],
  typed: string,
  app: () => Promise<App>,
): Promise<readonly CompletionWord[]> {
  const [name, ...rest] = before;
  if (name === undefined) return Object.entries(summaries).map(([word, description]) => ({ word, description }));
  const named = (await loadCommands(name)).find((command) => command.name === name);
  if (named === undefined) return [];
  const group = named.subcommands;
  if (group === undefined) return inCommand(named, name, rest, typed, app);
  const [sub, ...more] = rest;
  if (sub === undefined) return group.map((command) => ({ word: command.name, description: command.summary }));
  const chosen = group.find((command) => command.name === sub);
  return chosen === undefined ? [] : inCommand(chosen, name, more, typed, app);
}

async function inCommand(
  command: CliCommand,
  group: string,
  before: readonly string[],
  typed: string,
  app: () => Promise<App>,
): Promise<readonly CompletionWord[]> {
  const options = await optionsOf(command, before, app);
  const asked = optionOf(before.at(-1) ?? "", options);
  if (asked !== undefined && asked.option.type !== "boolean") return valuesOf(asked.name, asked.option);
  if (typed.startsWith("-")) return optionCandidates(options);
  const place = positionOf(before, options);
  const argument =
    command.arguments?.[place] ?? (command.arguments?.at(-1)?.isList ? command.arguments.at(-1) : undefined);
  if (argument === undefined) return [];
  return namesFor(argument.name, group, typed, app);
}

/** A workflow's own options come first: they are what a user forgets. */
async function optionsOf(
  { name, passesThrough = false, arguments: [first] = [], options = {} }: CliCommand,
  before: readonly string[],
  app: () => Promise<App>,
): Promise<DeclaredOptions> {
  if (!passesThrough) return options;
  const workflow = first?.name === "WORKFLOW" ? before[0] : name === "ralph" ? name : undefined;
  if (workflow === undefined) return runOptions;
  const found = await readOr([], async () => (await (await app()).catalog.workflows()).found);
  const named = workflow.toLowerCase();
  const own = found.find(({ name, aliases }) => [name, ...aliases].some((each) => each.toLowerCase() === named));
  return { ...own?.options, ...runOptions };
}

function optionCandidates(options: DeclaredOptions): readonly CompletionWord[] {
  return Object.entries(options).map(([name, { description }]) => ({ word: `--${kebabCase(name)}`, description }));
}

function optionOf(word: string, options: DeclaredOptions): { name: string; option: DeclaredOption } | undefined {
  for (const [name, option] of Object.entries(options))
    if (word === `--${kebabCase(name)}` || (option.short !== undefined && word === `-${option.short}`))
      return { name, option };
  return undefined;
}

function valuesOf(name: string, { choices }: DeclaredOption): readonly CompletionWord[] {
  const values = choices ?? (name === "agent" ? agents : []);
  return values.map((word) => ({ word, description: "" }));
}

/** How many arguments come before the word that is typed. */
function positionOf(before: readonly string[], options: DeclaredOptions): number {
  return before.filter((word, i) => {
    const last = optionOf(before[i - 1] ?? "", options);
    return !word.startsWith("-") && (last === undefined || last.option.type === "boolean");
  }).length;
}

/** Names that exist, by what the argument is called in help. What can't be read offers nothing. */
function namesFor(
  argument: string,
  group: string,
  typed: string,
  app: () => Promise<App>,
): Promise<readonly CompletionWord[]> {
  return readOr([], async () => {
    switch (argument) {
      case "ID":
        return typed.startsWith("@") ? [lastRun] : await runCandidates(await app());
      case "WORKFLOW":
        return await workflowCandidates(await app());
      case "NAME":
        return await entryCandidates(group, await app());
      case "KEY": {
        const { settings } = await (await app()).settings.list();
        return settings.map(({ key }) => ({ word: key, description: "" }));
      }
      case "SHELL":
        return shells.map((word) => ({ word, description: "" }));
      default:
        return [];
    }
  });
}

/** A broken settings file must not print errors into a command line that is being typed. */
async function readOr<T>(fallback: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (!AtomicError.is(thrown)) throw thrown;
    return fallback;
  }
}

async function runCandidates({ runs }: App): Promise<readonly CompletionWord[]> {
  const list = await runs.list(maxRuns);
  return list.runs.map(({ id, workflow, status }) => ({ word: id, description: `${workflow}, ${status}` }));
}

async function workflowCandidates({ catalog }: App): Promise<readonly CompletionWord[]> {
  const { found } = await catalog.workflows();
  return found.map(({ name, description }) => ({ word: name, description }));
}

async function entryCandidates(group: string, app: App): Promise<readonly CompletionWord[]> {
  if (group === "workflows") return workflowCandidates(app);
  if (group !== "agents" && group !== "skills") return [];
  const { found } = await app.catalog.entities(group === "agents" ? "agent" : "skill");
  return found.map(({ name, description }) => ({ word: name, description }));
}
