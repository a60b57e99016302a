// The options that every run takes, whatever the workflow: declared once, for the parser and for help. A workflow's own
// come beside them.

import { resolve } from "node:path";
import { parseAgentKind, playsScript } from "../agents.ts";
import type { RunTerms } from "../runs-start.ts";
import type { DeclaredOptions, OptionValues } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";

type Limits = RunTerms["limits"];
type Agent = Pick<RunTerms["agent"], "kind" | "script" | "record">;

/** What may be set anew each time a run goes on. */
const termOptions = {
  agent: {
    type: "string",
    short: "a",
    value: "AGENT",
    description: "claude, opencode, copilot, acp:COMMAND, scripted or replay",
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
  script: { type: "string", value: "FILE", description: "what -a scripted or -a replay plays" },
  trust: { type: "boolean", description: "trust the code and the agent settings of this folder, for this run only" },
} as const satisfies DeclaredOptions;

/** What may be set when a run is resumed. */
export const resumeTermOptions = {
  ...termOptions,
  ask: { type: "boolean", description: "ask questions again, in a run that was started with --no-questions" },
} as const satisfies DeclaredOptions;

/** What only counts when a run begins. */
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

export function textOf(values: OptionValues, name: keyof typeof runOptions): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

export function listOf(values: OptionValues, name: keyof typeof runOptions): readonly string[] {
  const value = values[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** The limits that were typed, over those that count otherwise. */
export function limitsFrom(values: OptionValues, otherwise: Limits): Limits {
  return {
    maxIterations: limit(values, "max-iterations", "whole", otherwise.maxIterations) ?? 0,
    maxCostUsd: limit(values, "max-cost", "any", otherwise.maxCostUsd),
    maxTokens: limit(values, "max-tokens", "whole", otherwise.maxTokens),
    maxMinutes: limit(values, "max-minutes", "any", otherwise.maxMinutes),
    maxWaitMinutes: limit(values, "max-wait", "any", otherwise.maxWaitMinutes),
  };
}

/** Undefined: no limit. */
function limit(
  values: OptionValues,
  name: keyof typeof runOptions,
  kind: "whole" | "any",
  otherwise: number | undefined,
): number | undefined {
  const value = values[name];
  if (value === "none") return undefined;
  if (typeof value !== "number") return otherwise;
  if (value >= 0 && (kind === "any" || Number.isInteger(value))) return value;
  throw new AtomicError(
    "USAGE",
    `--${name} must be ${kind === "whole" ? "a whole number" : "a number"} from 0, is ${value}.`,
  );
}

/** The agent that was asked for, or the one that counts otherwise, with what it plays. */
export function agentFrom(values: OptionValues, otherwise: Agent): Agent {
  const asked = textOf(values, "agent");
  const script = textOf(values, "script");
  const record = textOf(values, "record");
  const kind =
    asked === undefined && script !== undefined && !playsScript(otherwise.kind)
      ? "scripted"
      : parseAgentKind(asked ?? otherwise.kind);
  if (script !== undefined && !playsScript(kind)) {
    throw new AtomicError("USAGE", `--script is for -a scripted and -a replay; ${kind} takes none.`);
  }
  const plays = script === undefined ? (kind === otherwise.kind ? otherwise.script : undefined) : resolve(script);
  if (playsScript(kind) && plays === undefined) {
    const example = kind === "scripted" ? "script.json" : "recording.jsonl";
    throw new AtomicError("USAGE", `-a ${kind} plays a file: add --script FILE, for example --script ${example}.`);
  }
  return {
    kind,
    script: playsScript(kind) ? plays : undefined,
    record: record === undefined ? undefined : resolve(record),
  };
}

/**
 * `--answer "Which colour?=red"`: by the question's id or text. Both sides may hold a "=", so every place where it
 * could end is kept; only one of them is the name of a question.
 */
export function answersFrom(values: OptionValues): Readonly<Record<string, string>> {
  const answers = new Map<string, string>();
  for (const written of listOf(values, "answer")) {
    let at = written.indexOf("=");
    if (at < 1) {
      throw new AtomicError("USAGE", `--answer ${JSON.stringify(safeLine(written, 80))} is not QUESTION=VALUE.`);
    }
    for (; at > 0; at = written.indexOf("=", at + 1)) answers.set(written.slice(0, at).trim(), written.slice(at + 1));
  }
  return Object.fromEntries(answers);
}
