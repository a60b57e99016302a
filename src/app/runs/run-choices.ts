// What a user chooses for a run each time it is started or resumed: agent, model, limits, answers. Typed, so that a
// dialog can fill it in; words of a command line are parsed into it. What is not chosen keeps its fallback: the
// settings for a new run, the record for a resumed one.

import { resolve } from "node:path";
import { isSandboxMode, sandboxModes, type SandboxMode } from "../../lib/sandbox-mode.ts";
import { parseAgentOrder, playsScript } from "../agents.ts";
import type { RunOptions } from "../runs-start.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { RunLimits } from "../../workflows/limits/run-limits.ts";
import { optionList, optionText } from "./run-options.ts";

/** `none`: no limit, whatever the fallback says. */
export type LimitChoices = { readonly [K in keyof RunLimits]?: number | "none" | undefined };

export interface RunChoices {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** What `scripted` and `replay` play. */
  readonly script?: string | undefined;
  /** Where what the agent does is recorded. */
  readonly record?: string | undefined;
  readonly limits?: LimitChoices | undefined;
  /** By the question's id or text. */
  readonly answers?: RunOptions["answers"];
  /** Questions get their default, or are declined. */
  readonly noQuestions?: boolean | undefined;
  /** Run although another run works in the folder, or on the task list. */
  readonly isConcurrent?: boolean | undefined;
  /** The sandbox mode of the agents. */
  readonly sandbox?: SandboxMode | undefined;
  /** Trust the code and the agent settings of the folder, for this run only. */
  readonly isTrusted?: boolean | undefined;
}

type Agent = Pick<RunOptions["agent"], "kind" | "others" | "script" | "record">;

/** Throws USAGE for a value that can't be. */
export function runChoicesOf(values: OptionValues): RunChoices {
  return {
    agent: optionText(values, "agent"),
    model: optionText(values, "model"),
    script: optionText(values, "script"),
    record: optionText(values, "record"),
    limits: limitChoicesOf(values),
    answers: answersFrom(values),
    noQuestions: values["no-questions"] === true,
    isConcurrent: values["concurrent"] === true,
    isTrusted: values["trust"] === true,
    sandbox: sandboxOf(optionText(values, "sandbox")),
  };
}

function sandboxOf(written: string | undefined): SandboxMode | undefined {
  if (written === undefined || isSandboxMode(written)) return written;
  throw new AtomicError("USAGE", `--sandbox must be one of ${sandboxModes.join(", ")}, is "${safeLine(written, 60)}".`);
}

export function limitChoicesOf(values: OptionValues): LimitChoices {
  const choice = (name: string): number | "none" | undefined => {
    const value = values[name];
    return typeof value === "number" || value === "none" ? value : undefined;
  };
  return {
    maxIterations: choice("max-iterations"),
    maxCostUsd: choice("max-cost"),
    maxTokens: choice("max-tokens"),
    maxMinutes: choice("max-minutes"),
    maxWaitMinutes: choice("max-wait"),
  };
}

/** The chosen limits, over the fallback. Throws USAGE for what can't be a limit. */
export function limitsFrom(choices: LimitChoices, fallback: RunLimits): RunLimits {
  return {
    maxIterations: limit("max-iterations", "whole", choices.maxIterations, fallback.maxIterations) ?? 0,
    maxCostUsd: limit("max-cost", "any", choices.maxCostUsd, fallback.maxCostUsd),
    maxTokens: limit("max-tokens", "whole", choices.maxTokens, fallback.maxTokens),
    maxMinutes: limit("max-minutes", "any", choices.maxMinutes, fallback.maxMinutes),
    maxWaitMinutes: limit("max-wait", "any", choices.maxWaitMinutes, fallback.maxWaitMinutes),
  };
}

/** Undefined: no limit. */
function limit(
  name: string,
  kind: "whole" | "any",
  value: number | "none" | undefined,
  fallback: number | undefined,
): number | undefined {
  if (value === "none") return undefined;
  if (value === undefined) return fallback;
  if (value >= 0 && (kind === "any" || Number.isInteger(value))) return value;
  throw new AtomicError(
    "USAGE",
    `--${name} must be ${kind === "whole" ? "a whole number" : "a number"} from 0, is ${value}.`,
  );
}

/** The chosen agent, or the fallback, with what it plays. */
export function agentFrom(choices: Pick<RunChoices, "agent" | "script" | "record">, fallback: Agent): Agent {
  const { agent: asked, script, record } = choices;
  const usual = asked === undefined ? [fallback.kind, ...(fallback.others ?? [])] : parseAgentOrder(asked);
  const [kind = fallback.kind, ...others] =
    asked === undefined && script !== undefined && !usual.some(playsScript) ? ["scripted"] : usual;
  const players = [kind, ...others].filter(playsScript);
  const [player] = players;
  if (script !== undefined && player === undefined) {
    throw new AtomicError("USAGE", `--script is for -a scripted and -a replay; ${kind} takes none.`);
  }
  if (players.length > 1) throw new AtomicError("USAGE", "-a takes one of scripted and replay: both play --script.");
  if (record !== undefined && others.length > 0)
    throw new AtomicError("USAGE", "--record records one agent. Choose it with -a, and leave the others out.");
  const isUsual = player === fallback.kind || fallback.others?.includes(player ?? "") === true;
  const plays = script === undefined ? (isUsual ? fallback.script : undefined) : resolve(script);
  if (player !== undefined && plays === undefined) {
    const example = player === "scripted" ? "script.json" : "recording.jsonl";
    throw new AtomicError("USAGE", `-a ${player} plays a file: add --script FILE, for example --script ${example}.`);
  }
  return {
    kind,
    others,
    script: player === undefined ? undefined : plays,
    record: record === undefined ? undefined : resolve(record),
  };
}

/**
 * `--answer "Which colour?=red"`: by the question's id or text. Both sides may hold a "=", so every place where it
 * could end is kept; only one of them is the name of a question.
 */
export function answersFrom(values: OptionValues): Readonly<Record<string, string>> {
  const answers = new Map<string, string>();
  for (const written of optionList(values, "answer")) {
    let at = written.indexOf("=");
    if (at < 1) {
      throw new AtomicError("USAGE", `--answer ${JSON.stringify(safeLine(written, 80))} is not QUESTION=VALUE.`);
    }
    for (; at > 0; at = written.indexOf("=", at + 1)) answers.set(written.slice(0, at).trim(), written.slice(at + 1));
  }
  return Object.fromEntries(answers);
}
