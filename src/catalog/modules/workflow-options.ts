// The options that a workflow declares: the command line, slash commands, hints and `--help` are made from them.
// Checked the same way whether they were read from the file's text or from the loaded module.

import { safeLine } from "../../lib/safe-text.ts";

export type WorkflowOptionType = "string" | "number" | "boolean";

export interface FoundWorkflowOption {
  readonly type: WorkflowOptionType;
  readonly description: string;
  /** `auto` for a boolean: it can be switched on and off, and is that word when it is not given. */
  readonly default?: string | number | boolean | readonly (string | number)[];
  /** May be given several times; the value is a list. */
  readonly repeat?: boolean;
}

export type WorkflowOptions = Readonly<Record<string, FoundWorkflowOption>>;

/** `required` (the default): a prompt must be given. `none`: one must not. */
export type PromptUse = "required" | "optional" | "none";

/** A fault with its path, as in `options.depth.default`. */
export interface FieldFault {
  readonly path: string;
  readonly problem: string;
}

export interface ParsedOptions {
  readonly options: WorkflowOptions;
  readonly faults: readonly FieldFault[];
}

const optionName = /^[a-z][a-z\d]*(?:-[a-z\d]+)*$|^[a-z][A-Za-z\d]*$/;
/** Options of every run: a workflow can't reuse their names. */
const taken: ReadonlySet<string> = new Set(
  "agent model json cwd max-iterations max-cost max-tokens max-minutes max-wait verify answer no-questions record script trust help deltas quiet resume questions".split(
    " ",
  ),
);

/** Faulty options are left out of the result, so that one typing error does not cost the others their help text. */
export function parseWorkflowOptions(value: unknown): ParsedOptions {
  const faults: FieldFault[] = [];
  const options: Record<string, FoundWorkflowOption> = {};
  if (value === undefined) return { options, faults };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    faults.push({ path: "options", problem: "must be an object of options" });
    return { options, faults };
  }
  const owners = new Map<string, string>();
  for (const [name, declared] of Object.entries(value)) {
    const path = `options.${safeLine(name, 40)}`;
    const before = faults.length;
    const option = parseOption(declared, path, faults);
    const problem = nameProblem(name, option, owners);
    if (problem !== undefined) faults.push({ path, problem });
    if (option !== undefined && faults.length === before) options[name] = option;
  }
  return { options, faults };
}

/** `owners`: which option each flag belongs to; this one's are added. */
function nameProblem(
  name: string,
  option: FoundWorkflowOption | undefined,
  owners: Map<string, string>,
): string | undefined {
  if (!optionName.test(name) || name.length > 40) return "must be named like `dry-run` or `dryRun`";
  const flags = flagsOf(kebabCase(name), option);
  const reserved = flags.find((flag) => taken.has(flag));
  if (reserved !== undefined) return `--${reserved} is an option of every run; choose another name`;
  const other = flags.map((flag) => owners.get(flag)).find((owner) => owner !== undefined);
  if (other !== undefined) return `is the same as options.${other} on the command line; choose another name`;
  for (const flag of flags) owners.set(flag, name);
  return undefined;
}

/**
 * An option that is on by default also takes `--no-x`, and one named `no-x` also takes `--x`: they must not collide.
 */
function flagsOf(flag: string, option: FoundWorkflowOption | undefined): readonly string[] {
  if (flag.startsWith("no-")) return [flag, flag.slice(3)];
  return option?.default === true || option?.default === "auto" ? [flag, `no-${flag}`] : [flag];
}

/** How an option is typed on a command line: `dryRun` and `dry-run` are both `--dry-run`. */
function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function parseOption(declared: unknown, path: string, faults: FieldFault[]): FoundWorkflowOption | undefined {
  if (typeof declared !== "object" || declared === null) {
    faults.push({ path, problem: "must be an object with `type` and `description`" });
    return undefined;
  }
  const fields: { type?: unknown; description?: unknown; default?: unknown; repeat?: unknown } = declared;
  const { type, description, repeat } = fields;
  if (type !== "string" && type !== "number" && type !== "boolean") {
    faults.push({ path: `${path}.type`, problem: 'must be "string", "number" or "boolean"' });
    return undefined;
  }
  if (typeof description !== "string" || description.trim() === "") {
    faults.push({ path: `${path}.description`, problem: "must be text: --help shows it" });
    return undefined;
  }
  if (repeat !== undefined && typeof repeat !== "boolean") {
    faults.push({ path: `${path}.repeat`, problem: "must be true or false" });
    return undefined;
  }
  if (repeat === true && type === "boolean") {
    faults.push({ path: `${path}.repeat`, problem: "makes no sense for a boolean" });
    return undefined;
  }
  const option: FoundWorkflowOption = { type, description, ...(repeat === undefined ? {} : { repeat }) };
  if (fields.default === undefined) return option;
  if (isDefault(fields.default, type, repeat === true)) return { ...option, default: fields.default };
  faults.push({ path: `${path}.default`, problem: `must be ${repeat === true ? `a list of ${type}s` : `a ${type}`}` });
  return undefined;
}

function isDefault(
  value: unknown,
  type: WorkflowOptionType,
  isList: boolean,
): value is NonNullable<FoundWorkflowOption["default"]> {
  if (isList) return Array.isArray(value) && value.every((each) => typeof each === type);
  if (type === "boolean" && value === "auto") return true;
  return typeof value === type && !Number.isNaN(value);
}
