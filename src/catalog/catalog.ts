// Everything that was found on disk and in the program, as one frozen value: loaders read, the resolver decides which
// entry gets a name, and entries that are hidden or refused stay visible. No file is run. A catalog is a snapshot;
// after a change on disk, load another.

import { deepFreeze } from "../lib/deep-freeze.ts";
import type { Diagnostic } from "./diagnostics.ts";
import { builtinEntities } from "./builtin/builtin-entities.ts";
import { builtinRank, entitySources, type Roots } from "./discovery/entity-folders.ts";
import { loadEntityFolder, type FoundEntity } from "./discovery/load-entity-folder.ts";
import { loadModuleFolder, moduleFolders, type FoundModule } from "./discovery/load-module-folder.ts";
import { loadOpencodeConfig } from "./discovery/load-opencode-config.ts";
import type { EntityType, ProviderType, UnifiedEntity } from "./entities/entity.ts";
import type { WorkflowIndex } from "./discovery/workflow-index.ts";
import { createModuleReader, type ModuleReader } from "./modules/read-module.ts";
import { describeTool, describeWorkflow, type ToolInfo, type WorkflowInfo } from "./modules/workflow-file.ts";
import { resolveNames, type Candidate, type Resolution } from "./resolve/resolve-names.ts";
import { resolveSlashNames, type SlashCandidate, type SlashName } from "./resolve/slash-names.ts";

export interface WorkflowEntry {
  readonly info: WorkflowInfo;
  readonly source: "builtin" | "global" | "local";
  /** Absent for built-ins. */
  readonly file?: ModuleEntryFile;
}

export interface ToolEntry {
  readonly info: ToolInfo;
  readonly source: "global" | "local";
  readonly file: ModuleEntryFile;
}

/** Where a workflow or tool is, and whose it is. */
export type ModuleEntryFile = Pick<FoundModule<unknown>, "path" | "realPath" | "isOwn">;

export interface HiddenEntry {
  readonly kind: string;
  readonly name: string;
  /** The file that is not used; absent for a built-in. */
  readonly file?: string;
  readonly hiddenBy: string;
}

export interface Catalog {
  readonly agents: readonly UnifiedEntity[];
  readonly skills: readonly UnifiedEntity[];
  readonly commands: readonly UnifiedEntity[];
  readonly workflows: readonly WorkflowEntry[];
  readonly tools: readonly ToolEntry[];
  /** What may be typed after a slash, besides the core commands. */
  readonly slashNames: readonly SlashName[];
  readonly hidden: readonly HiddenEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

export type CatalogKind = EntityType | "workflow" | "tool";

export interface CatalogOptions {
  readonly roots: Roots;
  readonly providers?: readonly ProviderType[];
  /** `claude`, `opencode`, `copilot`, …: whose folder comes first after Atomic's own. */
  readonly activeAgent?: string | undefined;
  /** Workflows that come with the program. */
  readonly builtinWorkflows?: readonly WorkflowInfo[];
  /** Only these are looked for; the rest of the catalog stays empty. Default: everything. */
  readonly only?: readonly CatalogKind[] | undefined;
  /** Shared with a later trust check, so that no file is parsed twice. */
  readonly reader?: ModuleReader;
  /** Descriptions of workflow files from earlier starts. Default: the files are read. */
  readonly index?: WorkflowIndex | undefined;
}

export function loadCatalog(options: CatalogOptions): Catalog {
  const diagnostics: Diagnostic[] = [];
  const hidden: HiddenEntry[] = [];
  const reader = options.reader ?? createModuleReader();

  const collect = <T>(resolution: Resolution<T>): T[] => {
    diagnostics.push(...resolution.diagnostics);
    for (const each of resolution.hidden) hidden.push(hiddenEntry(each.hidden, each.by));
    return resolution.winners.map(({ candidate }) => candidate.value);
  };

  const found = loadEntities(options, diagnostics);
  const entitiesOf = (type: EntityType): UnifiedEntity[] => collect(resolveEntities(found, type));
  const agents = entitiesOf("agent");
  const skills = entitiesOf("skill");
  const commands = entitiesOf("command");
  const isWanted = (kind: CatalogKind): boolean => options.only?.includes(kind) ?? true;
  const workflows = isWanted("workflow") ? collect(resolveNames(workflowCandidates(options, reader, diagnostics))) : [];
  const tools = isWanted("tool") ? collect(resolveNames(toolCandidates(options, reader, diagnostics))) : [];
  const slash = resolveSlashNames([
    ...workflows.map(slashOfWorkflow),
    ...[...commands, ...skills, ...agents].map(slashOfEntity),
  ]);
  diagnostics.push(...slash.diagnostics);
  return deepFreeze({ agents, skills, commands, workflows, tools, slashNames: slash.names, hidden, diagnostics });
}

/** Files that replace something built in, which the user is told once. */
export function builtinsHidden(catalog: Catalog): readonly Diagnostic[] {
  return catalog.diagnostics.filter(({ code }) => code === "hides-builtin" || code === "takes-builtin");
}

function loadEntities(options: CatalogOptions, diagnostics: Diagnostic[]): FoundEntity[] {
  const { folders, configFiles } = entitySources(options);
  const wanted = (type: EntityType): boolean => options.only?.includes(type) ?? true;
  const loaded = [
    ...folders.filter((folder) => wanted(folder.type)).map(loadEntityFolder),
    ...(wanted("agent") || wanted("command") ? configFiles.map(loadOpencodeConfig) : []),
  ];
  for (const each of loaded) diagnostics.push(...each.diagnostics);
  const isAnyWanted = wanted("agent") || wanted("skill") || wanted("command");
  const builtins = isAnyWanted ? builtinEntities().map((entity) => ({ entity, rank: builtinRank })) : [];
  return [...loaded.flatMap((each) => each.found), ...builtins].filter(({ entity }) => wanted(entity.type));
}

/** The entity of each name of one type, with the aliases it got. */
function resolveEntities(found: readonly FoundEntity[], type: EntityType): Resolution<UnifiedEntity> {
  const candidates = found.flatMap(({ entity, rank }): Candidate<UnifiedEntity>[] => {
    if (entity.type !== type) return [];
    const isBuiltin = entity.source.location === "builtin";
    const { name, aliases = [] } = entity;
    return [{ name, aliases, rank, isBuiltin, kind: type, file: entity.source.path, value: entity }];
  });
  const resolution = resolveNames(candidates);
  const winners = resolution.winners.map(({ candidate, aliases }) => {
    return { candidate: { ...candidate, value: withAliases(candidate.value, aliases) }, aliases };
  });
  return { ...resolution, winners };
}

function withAliases(entity: UnifiedEntity, aliases: readonly string[]): UnifiedEntity {
  if ((entity.aliases ?? []).length === aliases.length) return entity;
  const { aliases: _, ...rest } = entity;
  return deepFreeze(aliases.length === 0 ? rest : { ...rest, aliases });
}

function workflowCandidates(
  options: CatalogOptions,
  reader: ModuleReader,
  diagnostics: Diagnostic[],
): Candidate<WorkflowEntry>[] {
  const { index } = options;
  const describe = (path: string, realPath: string): ReturnType<typeof describeWorkflow> => {
    const read = (): ReturnType<typeof describeWorkflow> => describeWorkflow(path, reader.read(realPath).scan());
    return index === undefined ? read() : index.describe(path, realPath, read);
  };
  const candidates = loadModules("workflows", options, reader, describe, diagnostics).map((found) => {
    const { name, aliases } = found.info;
    const value: WorkflowEntry = { info: found.info, source: found.source, file: fileOf(found) };
    const { rank, path: file } = found;
    return { name, aliases, rank, isBuiltin: false, kind: "workflow", file, value };
  });
  index?.save();
  const builtins = (options.builtinWorkflows ?? []).map((info) => {
    const value: WorkflowEntry = { info, source: "builtin" };
    return { name: info.name, aliases: info.aliases, rank: builtinRank, isBuiltin: true, kind: "workflow", value };
  });
  return [...candidates, ...builtins];
}

function toolCandidates(
  options: CatalogOptions,
  reader: ModuleReader,
  diagnostics: Diagnostic[],
): Candidate<ToolEntry>[] {
  const describe = (path: string, realPath: string): ReturnType<typeof describeTool> =>
    describeTool(path, reader.read(realPath).scan());
  return loadModules("tools", options, reader, describe, diagnostics).map((found) => {
    const value: ToolEntry = { info: found.info, source: found.source, file: fileOf(found) };
    const { rank, path: file } = found;
    return { name: found.info.name, aliases: [], rank, isBuiltin: false, kind: "tool", file, value };
  });
}

function loadModules<T>(
  folderName: "workflows" | "tools",
  options: CatalogOptions,
  reader: ModuleReader,
  describe: Parameters<typeof loadModuleFolder<T>>[2],
  diagnostics: Diagnostic[],
): FoundModule<T>[] {
  return moduleFolders(options.roots, folderName).flatMap((folder) => {
    const loaded = loadModuleFolder(folder, reader, describe);
    diagnostics.push(...loaded.diagnostics);
    return loaded.found;
  });
}

function fileOf({ path, realPath, isOwn }: FoundModule<unknown>): ModuleEntryFile {
  return { path, realPath, isOwn };
}

function slashOfWorkflow(entry: WorkflowEntry): SlashCandidate {
  const level = entry.source === "builtin" ? "builtin" : entry.source === "local" ? "project" : "user";
  return { name: entry.info.name, aliases: entry.info.aliases, kind: "workflow", level, file: entry.file?.path };
}

function slashOfEntity(entity: UnifiedEntity): SlashCandidate {
  const { name, aliases = [], type: kind, source } = entity;
  return { name, aliases, kind, level: source.location, file: source.path };
}

function hiddenEntry<T>(hidden: Candidate<T>, by: Candidate<T>): HiddenEntry {
  const file = hidden.file === undefined ? {} : { file: hidden.file };
  return { kind: hidden.kind, name: hidden.name, ...file, hiddenBy: by.file ?? "built in" };
}
