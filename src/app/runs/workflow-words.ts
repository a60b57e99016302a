// What follows `atomic run WORKFLOW`: the options of every run and those that the workflow declares, in any order, and a
// prompt. No workflow is known here by name.

import { optionLines, type DeclaredOptions, type OptionValues } from "../../lib/declared-options.ts";
import { parseWords } from "../../lib/parse-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { wrapWords } from "../../lib/wrap-words.ts";

/** The part of a definition that says what it takes. */
export interface WorkflowUsage {
  readonly name: string;
  readonly description: string;
  readonly options?: DeclaredOptions | undefined;
  /** Default: required. */
  readonly prompt?: "required" | "optional" | "none" | undefined;
}

export interface WorkflowWords {
  /** Values of the workflow's own options, by the names it declares, defaults filled in. */
  readonly options: OptionValues;
  /** Values of the options of every run. */
  readonly run: OptionValues;
  /** Empty when none was given and none is needed. */
  readonly prompt: string;
  /** `--help` is among the words; nothing else was checked then. */
  readonly isHelp: boolean;
}

const help = { help: { type: "boolean", short: "h", description: "print this help" } } as const;

/** `words`: what stands after the workflow's name. Throws USAGE when they don't fit. */
export function parseWorkflowWords(
  workflow: WorkflowUsage,
  words: readonly string[],
  runOptions: DeclaredOptions,
): WorkflowWords {
  const { name, options: own = {}, prompt: use = "required" } = workflow;
  if (asksForHelp(words)) return { options: {}, run: {}, prompt: "", isHelp: true };
  const subject = `atomic run ${name}`;
  const { values, rest } = parseWords(words, { ...runOptions, ...own }, subject);
  const prompt = rest.join(" ").trim();
  if (use === "none" && prompt !== "") throw usage(`The ${name} workflow takes no prompt, and got one.`, subject);
  if (use === "required" && prompt === "" && !isResume(values, own)) {
    throw usage(`Please provide a prompt for the ${name} workflow.`, subject);
  }
  return { options: pick(values, own), run: pick(values, runOptions), prompt, isHelp: false };
}

/** What `atomic run WORKFLOW --help` prints. */
export function workflowHelp(workflow: WorkflowUsage, runOptions: DeclaredOptions, columns?: number): string {
  const { name, description, options: own = {}, prompt = "required" } = workflow;
  const promptPart = { required: " PROMPT", optional: " [PROMPT]", none: "" }[prompt];
  const text = wrapWords(safeLine(description, 1000), columns ?? Number.POSITIVE_INFINITY).join("\n");
  const sections = [`Usage: atomic run ${name}${promptPart} [options]`, text];
  if (Object.keys(own).length > 0) sections.push(`Options of ${name}:\n${optionLines(own, columns)}`);
  sections.push(`Options of every run:\n${optionLines({ ...runOptions, ...help }, columns)}`);
  return sections.join("\n\n");
}

/** Up to `--`, after which everything is a prompt. */
export function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  return before.includes("--help") || before.includes("-h");
}

/** A resumed run already has its prompt. */
function isResume(values: OptionValues, own: DeclaredOptions): boolean {
  return typeof values["resume"] === "string" && own["resume"] === undefined;
}

function pick(values: OptionValues, from: DeclaredOptions): OptionValues {
  return Object.fromEntries(Object.keys(from).map((key) => [key, values[key]]));
}

function usage(problem: string, subject: string): AtomicError {
  return new AtomicError("USAGE", `${problem} See \`${subject} --help\`.`);
}
