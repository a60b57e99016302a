// The options that every run takes, whatever the workflow: declared once, for the parser and for help. A workflow's own
// come beside them. run-choices.ts turns what was typed into choices.

import type { DeclaredOptions, OptionValues } from "../../lib/declared-options.ts";

/** What may be set again each time a run is resumed. */
const termOptions = {
  agent: {
    type: "string",
    short: "a",
    value: "AGENT",
    description: "claude, opencode, copilot, acp:COMMAND, scripted or replay; or several, in order",
  },
  model: { type: "string", short: "m", value: "MODEL", description: "the model to ask for" },
  json: { type: "boolean", description: "print one event per line, as JSON" },
  quiet: { type: "boolean", description: "print the result only, and why the run stopped; no progress" },
  deltas: { type: "boolean", description: "with --json: also pieces of text and output of tools, as they come" },
  "max-iterations": {
    type: "number",
    orNone: true,
    description: "stop after this many iterations; none or 0 = no limit",
  },
  "max-cost": {
    type: "number",
    orNone: true,
    value: "USD",
    description: "stop after spending this much; none = no limit",
  },
  "max-tokens": { type: "number", orNone: true, description: "stop after using this many tokens; none = no limit" },
  "max-minutes": { type: "number", orNone: true, description: "stop after working this long; none = no limit" },
  "max-wait": {
    type: "number",
    orNone: true,
    value: "MINUTES",
    description: "wait at most this long for rate limits; none = no limit",
  },
  answer: {
    type: "string",
    repeat: true,
    value: "QUESTION=VALUE",
    description: "answer a question beforehand, by its id or its text",
  },
  "no-questions": { type: "boolean", description: "ask nothing: questions get their default, or are declined" },
  record: { type: "string", value: "FILE", description: "record what the agent does, for -a replay" },
  script: { type: "string", value: "FILE", description: "the script or recording for -a scripted or -a replay" },
  sandbox: {
    type: "string",
    value: "MODE",
    description: "off, worktree (agents write only where they work) or strict (also only allowed hosts)",
  },
  concurrent: { type: "boolean", description: "run even if another run works in this folder or on this task list" },
  trust: { type: "boolean", description: "trust the code and the agent settings of this folder, for this run only" },
} as const satisfies DeclaredOptions;

/** What may be set when a run is resumed. */
export const resumeTermOptions = {
  ...termOptions,
  ask: { type: "boolean", description: "ask questions again, in a run that was started with --no-questions" },
} as const satisfies DeclaredOptions;

/** What applies only when a run starts. */
export const startOptions = {
  cwd: { type: "string", value: "DIR", description: "the folder to work in" },
  verify: {
    type: "string",
    repeat: true,
    value: "COMMAND",
    description: "a command that must succeed before work counts as done",
  },
  resume: { type: "string", value: "ID", description: "resume a run of this workflow instead of starting one" },
} as const satisfies DeclaredOptions;

export const runOptions = { ...termOptions, ...startOptions } as const satisfies DeclaredOptions;

export function optionText(values: OptionValues, name: keyof typeof runOptions): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

export function optionList(values: OptionValues, name: keyof typeof runOptions): readonly string[] {
  const value = values[name];
  return Array.isArray(value) ? value.map(String) : [];
}
