// What was found, as rows: the shapes behind `--json` and behind every table. Reading only; nothing is imported.

import { join } from "node:path";
import type { HiddenEntry, WorkflowEntry } from "../catalog/catalog.ts";
import type { Diagnostic } from "../catalog/diagnostics.ts";
import { entitySources } from "../catalog/discovery/entity-folders.ts";
import type { EntityType, UnifiedEntity } from "../catalog/entities/entity.ts";
import type { WorkflowOptions } from "../catalog/modules/workflow-options.ts";
import { argumentHint } from "../lib/declared-options.ts";
import type { ListingWorkspace } from "./listing-workspace.ts";

type Source = Pick<ListingWorkspace, "catalog" | "parts">;

export interface Problem {
  readonly severity: "error" | "warning" | "info";
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
}

export interface Listing<Row> {
  readonly found: readonly Row[];
  /** Not used, because something else has the name. */
  readonly hidden: readonly HiddenEntry[];
  /** Refused, or read with a correction. */
  readonly problems: readonly Problem[];
}

export interface EntityRow {
  readonly name: string;
  /** The name as its file has it, where that can't be typed. */
  readonly label?: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly location: "project" | "user" | "builtin";
  readonly provider: string;
  readonly file?: string;
  readonly argumentHint?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
}

export interface EntityDetails extends EntityRow {
  readonly prompt: string;
  /** Frontmatter that is passed on as it is. */
  readonly extra: object;
}

export interface WorkflowRow {
  readonly name: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly source: "local" | "global" | "builtin";
  readonly file?: string;
  readonly form: "prompt" | "graph" | "factory";
  readonly prompt: "required" | "optional" | "none";
  readonly argumentHint: string;
  readonly options: WorkflowOptions;
  readonly version?: string;
  readonly minSDKVersion?: string;
  readonly stateVersion?: number;
}

export interface SlashRow {
  readonly name: string;
  readonly kind: "builtin" | "workflow" | "command" | "skill" | "agent";
  readonly description: string;
  readonly aliases: readonly string[];
  readonly argumentHint?: string;
  readonly file?: string;
}

export function listEntities(workspace: Source, type: EntityType): Listing<EntityRow> {
  const { catalog } = workspace;
  return {
    found: entitiesOf(workspace, type).map(entityRow),
    hidden: catalog.hidden.filter((each) => each.kind === type),
    problems: catalog.diagnostics.filter(isAbout(workspace, type)),
  };
}

/** By name or alias. Throws ENTITY_NOT_FOUND with the nearest name. */
export async function describeEntity(workspace: Source, type: EntityType, name: string): Promise<EntityDetails> {
  const { createEntityRegistry, entityNotFound } = await import("../catalog/registry/entity-registry.ts");
  const registry = createEntityRegistry();
  const { builtinEntities } = await import("../catalog/builtin/builtin-entities.ts");
  for (const entity of [...builtinEntities(), ...entitiesOf(workspace, type)]) registry.register(entity);
  const get = { command: registry.getCommand, skill: registry.getSkill, agent: registry.getAgent }[type];
  const found = get(name);
  if (found === undefined) throw entityNotFound(type, name, registry);
  return { ...entityRow(found), prompt: found.prompt, extra: found.extra ?? {} };
}

export function listWorkflows(workspace: Source): Listing<WorkflowRow> {
  const { catalog, parts } = workspace;
  const folders = moduleFolders(parts.folders, "workflows");
  return {
    found: catalog.workflows.map(workflowRow),
    hidden: catalog.hidden.filter((each) => each.kind === "workflow"),
    problems: catalog.diagnostics.filter(({ file, code }) => !isHiding(code) && isIn(file, folders)),
  };
}

export function workflowRow({ info, source, file }: WorkflowEntry): WorkflowRow {
  const { name, description, aliases, form, prompt, options, version, minSDKVersion, stateVersion } = info;
  return {
    name,
    description,
    aliases,
    source,
    ...(file === undefined ? {} : { file: file.path }),
    form,
    prompt,
    argumentHint: info.argumentHint ?? argumentHint(prompt, options),
    options,
    ...(version === undefined ? {} : { version }),
    ...(minSDKVersion === undefined ? {} : { minSDKVersion }),
    ...(stateVersion === undefined ? {} : { stateVersion }),
  };
}

function entitiesOf({ catalog }: Pick<ListingWorkspace, "catalog">, type: EntityType): readonly UnifiedEntity[] {
  return { agent: catalog.agents, skill: catalog.skills, command: catalog.commands }[type];
}

function entityRow(entity: UnifiedEntity): EntityRow {
  const { name, label, description, aliases = [], source, argumentHint: hint, model, tools } = entity;
  return {
    name,
    ...(label === undefined ? {} : { label }),
    description,
    aliases,
    location: source.location,
    provider: source.provider,
    ...(source.path === undefined ? {} : { file: source.path }),
    ...(hint === undefined ? {} : { argumentHint: hint }),
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
  };
}

/** Diagnostics about files that hold entities of this type. Hidden ones are listed separately. */
export function isAbout({ parts }: Pick<ListingWorkspace, "parts">, type: EntityType): (found: Diagnostic) => boolean {
  const { folders, configFiles } = entitySources({ roots: parts.folders });
  const paths = [
    ...folders.filter((folder) => folder.type === type).map((folder) => folder.path),
    ...(type === "skill" ? [] : configFiles.map((file) => file.path)),
  ];
  return ({ file, code }) => !isHiding(code) && isIn(file, paths);
}

function isHiding(code: Diagnostic["code"]): boolean {
  return ["hides", "hides-builtin", "takes-name", "takes-builtin"].includes(code);
}

function isIn(file: string | undefined, folders: readonly string[]): boolean {
  return file !== undefined && folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
}

function moduleFolders(folders: ListingWorkspace["parts"]["folders"], name: string): readonly string[] {
  return [join(folders.projectDir, ".atomic", name), join(folders.atomicHome, name)];
}
