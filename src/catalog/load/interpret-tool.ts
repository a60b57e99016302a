// Interprets a loaded tool module: `description`, `parameters` (a zod schema) and a default function that runs it.

import type { ToolInfo } from "../modules/workflow-file.ts";
import { fileInvalid, type LoadFault } from "./load-faults.ts";
import type { ModuleNamespace } from "./module-host.ts";

/** The part of a zod schema that a tool needs. */
export interface ToolParameters {
  parse(input: unknown): unknown;
}

export interface LoadedTool {
  readonly name: string;
  readonly description: string;
  /** Absent: any input is passed on as it is. */
  readonly parameters?: ToolParameters;
  readonly execute: (input: unknown, context: unknown) => unknown;
}

export function interpretTool(module: ModuleNamespace, file: string, listed: ToolInfo): LoadedTool {
  const faults: LoadFault[] = [];
  const { default: run, parameters, description } = module;
  if (typeof run !== "function")
    faults.push({ path: "default", problem: "must be a function `(input, ctx) => result`" });
  if (parameters !== undefined && !isSchema(parameters)) {
    faults.push({ path: "parameters", problem: "must be a zod schema" });
  }
  if (description !== undefined && typeof description !== "string") {
    faults.push({ path: "description", problem: "must be text" });
  }
  if (faults.length > 0 || typeof run !== "function") throw fileInvalid(file, faults);
  const schema = isSchema(parameters) ? parameters : undefined;
  return {
    name: listed.name,
    description: typeof description === "string" ? description : listed.description,
    ...(schema === undefined ? {} : { parameters: schema }),
    execute: (input, context): unknown => run(schema === undefined ? input : schema.parse(input), context),
  };
}

function isSchema(value: unknown): value is ToolParameters {
  return typeof value === "object" && value !== null && "parse" in value && typeof value.parse === "function";
}
