// What a workflow or tool file declares, read from its text without running it. A field that is not a literal can't be
// known before the file is trusted; the listing says so and uses the default.

import { parse as parsePath } from "node:path";
import { compareVersions, parseVersion } from "../../lib/versions.ts";
import { diagnostic, Refusal, type Diagnostic } from "../diagnostics.ts";
import { parseEntityName } from "../entity-name.ts";
import { isPlainObject, type Plain, type PlainObject } from "../plain-data.ts";
import type { ModuleScan } from "./scan-module.ts";
import { parseWorkflowOptions, type PromptUse, type WorkflowOptions } from "./workflow-options.ts";

/** `prompt`: metadata only. `graph`: exports graphConfig. `factory`: exports a default function. */
export type WorkflowForm = "prompt" | "graph" | "factory";

export interface WorkflowInfo {
  readonly name: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly form: WorkflowForm;
  readonly options: WorkflowOptions;
  readonly prompt: PromptUse;
  readonly verifiesItself?: true;
  readonly version?: string;
  readonly minSDKVersion?: string;
  readonly stateVersion?: number;
  readonly argumentHint?: string;
  readonly defaultConfig?: PlainObject;
}

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
}

export interface Described<T> {
  readonly info: T;
  readonly notes: readonly Diagnostic[];
}

/** A file in the workflows folder that exports none of these is a helper of other files. */
const workflowExports: readonly string[] = [
  ...["name", "description", "aliases", "version", "minSDKVersion", "stateVersion", "argumentHint", "defaultConfig"],
  ...["options", "prompt", "graphConfig", "createState", "migrateState", "nodeDescriptions", "default"],
  ...["verifiesItself", "beforeStart"],
];

/** Undefined for a helper. */
export function describeWorkflow(path: string, scan: ModuleScan): Described<WorkflowInfo> | undefined {
  refuseUnreadable(scan);
  if (!scan.hasStarExport && !workflowExports.some((name) => scan.exports.has(name))) return undefined;
  const fields = createFieldReader(scan);
  const name = nameOf(path, fields);
  const { options, faults } = parseWorkflowOptions(fields.value("options"));
  for (const fault of faults)
    fields.note("warning", `${fault.path}: ${fault.problem}. The file can't be loaded until that is fixed.`, "options");
  const info: WorkflowInfo = {
    name,
    description: fields.text("description")?.trim() || `Custom workflow: ${name}`,
    aliases: aliasesOf(name, fields),
    form: formOf(scan),
    options,
    prompt: promptOf(fields),
    ...(fields.value("verifiesItself") === true ? { verifiesItself: true as const } : {}),
    ...defined("version", fields.text("version")),
    ...defined("minSDKVersion", fields.text("minSDKVersion")),
    ...defined("stateVersion", fields.number("stateVersion")),
    ...defined("argumentHint", fields.text("argumentHint")),
    ...defined("defaultConfig", fields.object("defaultConfig")),
  };
  return { info, notes: fields.notes };
}

export function describeTool(path: string, scan: ModuleScan): Described<ToolInfo> {
  refuseUnreadable(scan);
  const fields = createFieldReader(scan);
  const name = nameOf(path, fields);
  if (!scan.exports.has("default") && !scan.hasStarExport) {
    throw new Refusal("field-type", "A tool needs a default export: the function that runs it.");
  }
  const info = { name, description: fields.text("description")?.trim() || `Tool: ${name}` };
  return { info, notes: fields.notes };
}

/** Undefined when `minimum` is satisfied, otherwise a message with both versions. */
export function sdkVersionProblem(minimum: string | undefined, sdkVersion: string): string | undefined {
  if (minimum === undefined) return undefined;
  const wanted = parseVersion(minimum);
  const here = parseVersion(sdkVersion);
  if (wanted === undefined) return `minSDKVersion "${minimum}" is not a version like "0.5.0".`;
  if (here === undefined || compareVersions(wanted, here) <= 0) return undefined;
  return `It needs Atomic ${minimum} or newer; this is ${sdkVersion}. Update Atomic.`;
}

function refuseUnreadable(scan: ModuleScan): void {
  if (scan.problem !== undefined)
    throw new Refusal("syntax", `Syntax error: ${scan.problem.message}.`, scan.problem.line);
}

function formOf(scan: ModuleScan): WorkflowForm {
  if (scan.exports.has("graphConfig")) return "graph";
  return scan.exports.has("default") ? "factory" : "prompt";
}

function nameOf(path: string, fields: FieldReader): string {
  const written = fields.text("name");
  return parseEntityName(written ?? parsePath(path).name);
}

function aliasesOf(name: string, fields: FieldReader): readonly string[] {
  const written = fields.value("aliases");
  if (written === undefined) return [];
  if (!Array.isArray(written) || !written.every((alias) => typeof alias === "string")) {
    fields.note("warning", '"aliases" must be a list of names; it was left out.', "aliases");
    return [];
  }
  const aliases = new Set<string>();
  for (const alias of written) {
    try {
      aliases.add(parseEntityName(alias));
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      fields.note("warning", `Alias left out: ${thrown.message}`, "aliases", "name-invalid");
    }
  }
  aliases.delete(name);
  return [...aliases];
}

function promptOf(fields: FieldReader): PromptUse {
  const written = fields.text("prompt");
  if (written === undefined || written === "required" || written === "optional" || written === "none") {
    return written ?? "required";
  }
  fields.note("warning", '"prompt" must be "required", "optional" or "none"; "required" is assumed.', "prompt");
  return "required";
}

interface FieldReader {
  readonly notes: readonly Diagnostic[];
  note(severity: "warning", message: string, field: string, code?: "field-type" | "name-invalid"): void;
  value(field: string): Plain | undefined;
  text(field: string): string | undefined;
  number(field: string): number | undefined;
  object(field: string): PlainObject | undefined;
}

function createFieldReader(scan: ModuleScan): FieldReader {
  const notes: Diagnostic[] = [];
  const lineOf = (field: string): number | undefined => scan.exports.get(field)?.line;

  function typed<T extends Plain>(field: string, what: string, fits: (value: Plain) => value is T): T | undefined {
    const value = reader.value(field);
    if (value === undefined || fits(value)) return value;
    reader.note("warning", `"${field}" must be ${what}; it was left out.`, field);
    return undefined;
  }

  const reader: FieldReader = {
    notes,
    note(severity, message, field, code = "field-type") {
      notes.push(diagnostic(severity, code, message, { line: lineOf(field) }));
    },
    value(field) {
      const exported = scan.exports.get(field);
      if (exported === undefined) return undefined;
      // A default configuration may well be computed; it is not needed before the workflow runs.
      if (exported.literal === undefined && field !== "defaultConfig") {
        const message = `"${field}" is computed, so it is not known before the file runs. Write it as a literal.`;
        notes.push(diagnostic("warning", "computed-field", message, { line: exported.line }));
      }
      return exported.literal ?? undefined;
    },
    text: (field) => typed(field, "text", (value) => typeof value === "string"),
    number: (field) => typed(field, "a number", (value) => typeof value === "number"),
    object: (field) => typed(field, "an object", isPlainObject),
  };
  return reader;
}

function defined<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: V });
}
