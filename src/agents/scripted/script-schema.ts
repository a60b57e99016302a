// The format of a script (docs/agents.md), and the one way a script gets in: parsed, with errors that name the place.

import { z } from "zod";
import { AtomicError } from "../../lib/errors.ts";
import { failureKinds } from "../failures.ts";

const text = z.string();
const name = z.string().min(1);
const variable = z.string().regex(/^[A-Za-z_]\w*$/, "a name of letters, digits and _");
const count = z.int().nonnegative();
const milliseconds = z
  .number()
  .nonnegative()
  .max(24 * 3_600_000);
const json: z.ZodType = z.json();

const subagent = z.strictObject({ agent: name, prompt: text });

/** One kind of step per key; the key that is there says which it is. */
const steps = {
  think: z.strictObject({ think: text }),
  say: z.strictObject({ say: text }),
  write: z.strictObject({ write: z.strictObject({ path: name, content: text }) }),
  bash: z.strictObject({ bash: name, expect: z.exactOptional(count.max(255)), as: z.exactOptional(variable) }),
  ask: z.strictObject({
    ask: z.strictObject({
      question: name,
      options: z.exactOptional(z.array(name)),
      freeText: z.exactOptional(z.boolean()),
    }),
    as: z.exactOptional(variable),
  }),
  tool: z.strictObject({
    tool: z.strictObject({ name, input: z.exactOptional(z.record(z.string(), json)) }),
    as: z.exactOptional(variable),
  }),
  subagent: z.strictObject({ subagent: z.union([subagent, z.array(subagent).min(1)]) }),
  waitMs: z.strictObject({ waitMs: milliseconds }),
  usage: z.strictObject({
    usage: z.strictObject({
      inputTokens: z.exactOptional(count),
      outputTokens: z.exactOptional(count),
      cacheReadTokens: z.exactOptional(count),
      cacheWriteTokens: z.exactOptional(count),
      costUsd: z.exactOptional(z.number().nonnegative()),
    }),
  }),
  model: z.strictObject({ model: name }),
  fail: z.strictObject({
    fail: z.strictObject({
      kind: z.enum(failureKinds),
      message: z.exactOptional(text),
      resetInMs: z.exactOptional(milliseconds),
      retryable: z.exactOptional(z.boolean()),
    }),
  }),
  hang: z.strictObject({ hang: z.literal(true) }),
  crash: z.strictObject({ crash: count.max(255) }),
} as const;

type StepKind = keyof typeof steps;

const step = z.unknown().transform((value, context): ScriptStep => {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const kind = keys.find((key): key is StepKind => Object.hasOwn(steps, key));
  if (kind === undefined) {
    context.addIssue({ code: "custom", message: `a step is an object with one of ${Object.keys(steps).join(", ")}` });
    return z.NEVER;
  }
  const parsed = steps[kind].safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues)
    context.addIssue({ code: "custom", message: issue.message, path: [...issue.path] });
  return z.NEVER;
});

const pattern = z.string().refine(isPattern, "not a regular expression");

const script = z.strictObject({
  $schema: z.exactOptional(text),
  version: z.literal(1, "must be 1"),
  turns: z.array(
    z.strictObject({
      agent: z.exactOptional(name),
      task: z.exactOptional(name),
      match: z.exactOptional(pattern),
      times: z.exactOptional(z.int().positive()),
      steps: z.array(step),
    }),
  ),
});

export type ScriptStep = { [Kind in StepKind]: z.output<(typeof steps)[Kind]> }[StepKind];
export type ScriptTurn = z.output<typeof script>["turns"][number];
export type Script = z.output<typeof script>;

/** What an author writes in a `.ts` script or passes to `scriptedAgent`. */
export type ScriptInput = { readonly version: 1; readonly turns: readonly ScriptTurn[] };

/** Throws SCRIPT_INVALID with every fault, each with its place: `turns[2].steps[0].write.path`. */
export function parseScript(value: unknown, source: string): Script {
  const parsed = script.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${spell(issue.path)}: ${issue.message}`);
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
  } catch {
    return false;
  }
}

function spell(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the script";
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`))
    .join("");
}
