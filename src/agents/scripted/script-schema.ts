// The format of a script (docs/agents.md), and the one way a script gets in: parsed, with errors that name the
// location.

import { AtomicError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import {
  amount,
  anyOf,
  checkShape,
  flag,
  list,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  type ShapeOf,
  spellPath,
  text,
} from "../../lib/shape.ts";
import { failureKinds } from "../failures.ts";

const words = text();
const name = text({ min: 1 });
const variable = optional(text({ pattern: /^[A-Za-z_]\w*$/, message: "a name of letters, digits and _" }));
const count = amount({ min: 0, isWhole: true });
const milliseconds = amount({ min: 0, max: 24 * 3_600_000 });
const strict = { others: "refuse" } as const;

/** Scripts are parsed from JSON, or written by an author who may write anything. */
const json: Shape<Json> = (value, faults, path) => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return amount()(value, faults, path);
  const inner = Array.isArray(value) ? list(json) : record(json, "must be JSON");
  return inner(value, faults, path);
};

const subagent = object({ agent: name, prompt: words }, strict);

/** One kind of step per key; the key that is there says which it is. */
const steps = {
  think: object({ think: words }, strict),
  say: object({ say: words }, strict),
  write: object({ write: object({ path: name, content: words }, strict) }, strict),
  bash: object({ bash: name, expect: optional(amount({ min: 0, max: 255, isWhole: true })), as: variable }, strict),
  ask: object(
    {
      ask: object({ question: name, options: optional(list(name)), freeText: optional(flag()) }, strict),
      as: variable,
    },
    strict,
  ),
  tool: object({ tool: object({ name, input: optional(record(json)) }, strict), as: variable }, strict),
  subagent: object(
    {
      subagent: anyOf(
        [subagent, list(subagent, { min: 1 })],
        "must be an agent and its prompt, or a list of them that is not empty",
      ),
    },
    strict,
  ),
  waitMs: object({ waitMs: milliseconds }, strict),
  usage: object(
    {
      usage: object(
        {
          inputTokens: optional(count),
          outputTokens: optional(count),
          cacheReadTokens: optional(count),
          cacheWriteTokens: optional(count),
          costUsd: optional(amount({ min: 0 })),
        },
        strict,
      ),
    },
    strict,
  ),
  model: object({ model: name }, strict),
  fail: object(
    {
      fail: object(
        {
          kind: oneOf(failureKinds),
          message: optional(words),
          resetInMs: optional(milliseconds),
          retryable: optional(flag()),
        },
        strict,
      ),
    },
    strict,
  ),
  hang: object({ hang: oneOf([true]) }, strict),
  crash: object({ crash: amount({ min: 0, max: 255, isWhole: true }) }, strict),
} as const;

type StepKind = keyof typeof steps;

const step: Shape<ScriptStep> = (value, faults, path) => {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const kind = keys.find((key): key is StepKind => Object.hasOwn(steps, key));
  const shape: Shape<unknown> | undefined = kind === undefined ? undefined : steps[kind];
  if (shape === undefined)
    faults.push({ path, message: `a step is an object with one of ${Object.keys(steps).join(", ")}` });
  return shape?.(value, faults, path) as ScriptStep;
};

const pattern: Shape<string> = (value, faults, path) => {
  const source = words(value, faults, path);
  if (typeof value === "string" && !isPattern(source)) faults.push({ path, message: "not a regular expression" });
  return source;
};

const turn = object(
  {
    agent: optional(name),
    task: optional(name),
    match: optional(pattern),
    remembers: optional(pattern),
    times: optional(amount({ min: 1, isWhole: true })),
    steps: list(step),
  },
  strict,
);

const script = object({ $schema: optional(words), version: oneOf([1], "must be 1"), turns: list(turn) }, strict);

export type ScriptStep = { [Kind in StepKind]: ShapeOf<(typeof steps)[Kind]> }[StepKind];
export type ScriptTurn = ShapeOf<typeof turn>;
export type Script = ShapeOf<typeof script>;

/** What an author writes in a `.ts` script or passes to `scriptedAgent`. */
export type ScriptInput = { readonly version: 1; readonly turns: readonly ScriptTurn[] };

/** Throws SCRIPT_INVALID with every fault, each with its location: `turns[2].steps[0].write.path`. */
export function parseScript(value: unknown, source: string): Script {
  const checked = checkShape(script, value);
  if ("value" in checked) return checked.value;
  const faults = checked.faults.map(({ path, message }) => `${spellPath(path) || "the script"}: ${message}`);
  throw new AtomicError(
    "SCRIPT_INVALID",
    `The script ${source} can't be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    {
      details: { source, faults },
    },
  );
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return false;
  }
}
