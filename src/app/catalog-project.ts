// A folder as a run sees it, over the catalog: what was found there, what of it may run, and what was skipped. Where
// no user can be asked, untrusted code is left out, and a notice says so.

import type { AgentDefinition } from "../agents/port.ts";
import { builtinsHidden, type Catalog, type ToolEntry } from "../catalog/catalog.ts";
import type { EntityType, UnifiedEntity } from "../catalog/entities/entity.ts";
import { normalizeModel } from "../catalog/entities/normalize-model.ts";
import type { LoadedTool } from "../catalog/load/interpret-tool.ts";
import { createEntityRegistry, entityNotFound, type EntityRegistry } from "../catalog/registry/entity-registry.ts";
import { createNodeEntities } from "../catalog/registry/entity-source.ts";
import { fillRegistry } from "../catalog/registry/initialize-workflows-sdk.ts";
import type { ModuleLoader, WorkflowFileEntry } from "../catalog/load/module-loader.ts";
import { decideTrust, type TrustOptions } from "../catalog/trust/decide-trust.ts";
import { createTrustStore } from "../catalog/trust/trust-store.ts";
import { subjectOfCommands } from "../catalog/trust/trust-subject.ts";
import { AtomicError } from "../lib/errors.ts";
import type { CommandsInFile, WorkflowDefinition } from "../workflows/definition.ts";
import type { EntityPrompt } from "../workflows/graph/model/entities.ts";
import { type AnyGraph, graphOf } from "../workflows/workflow-graph.ts";
import { entityUsage, entityWorkflow, findEntity, nothingToRun } from "./entity-workflow.ts";
import type { AppParts } from "./parts.ts";
import { once, openListing } from "./listing-workspace.ts";
import { loadProjectTools } from "./project-tools.ts";
import { isProjectTrusted } from "./project-trust.ts";
import { createReplacer } from "./replace-builtins.ts";
import type { OpenProjectOptions, RunProject } from "./run-project.ts";
import { workflowFileEntry } from "./workflow-file-entry.ts";
import { createWorkflowLoader, findWorkflow, refusedFile, refusedFiles } from "./workflow-loading.ts";
import type { Workspace } from "./workspace.ts";

export function openCatalogProject(parts: AppParts, options: OpenProjectOptions): RunProject {
  const { cwd, isTrustedForThisRun, onNotice } = options;
  const own = { ...parts, folders: { ...parts.folders, projectDir: cwd } };
  const here = openListing(own, { agent: options.agent });
  const workspace = once(async () => (await import("./workspace.ts")).openWorkspace(own, { agent: options.agent }));
  const files = lazyLoader(workspace);
  /** What was trusted for this run only, by hash. */
  const trustedHashes = new Set<string>();
  const trust: TrustOptions = { isTrustedForThisRun, trustedHashes };
  const catalog = withFile(here.catalog, options.workflowFile);
  // A user who runs a file by its path is assumed to know it, as with any other program. That applies to no other file.
  const trustIn = ({ file }: WorkflowFileEntry): TrustOptions =>
    file.path === options.workflowFile ? { isTrustedForThisRun: true } : trust;
  const loader = createWorkflowLoader({ parts: own, catalog, loader: files }, trustIn);
  for (const { message, file } of builtinsHidden(catalog))
    onNotice(file === undefined ? message : `${file}: ${message}`);
  const store = createTrustStore(own.folders.atomicHome, own.clock);
  const { settings } = here;
  const isTrusted = isProjectTrusted({ folders: own.folders, settings, store, isTrustedForThisRun, onNotice });
  const replacements = settings.replacements(isTrusted);

  async function workflow(name: string): Promise<WorkflowDefinition> {
    for (;;) {
      try {
        const found = await loader.load(name);
        for (const refused of refusedFiles(catalog, name))
          if (refused.severity === "error")
            onNotice(
              `${refusedFile(refused).message} The ${found.source ?? "built-in"} workflow of this name is used.`,
            );
        return found;
      } catch (thrown) {
        if (!AtomicError.is(thrown, "NOT_TRUSTED")) throw thrown;
        if (await isTrustedNow(thrown)) continue;
        if (findWorkflow(catalog, name).source !== "local") throw thrown;
        const other = await withoutProject(name);
        if (other === undefined) throw thrown;
        onNotice(`${thrown.message} Until then the ${other.source ?? "other"} workflow of this name is used.`);
        return other;
      }
    }
  }

  /** Skills, commands and agents can be run by name too; a workflow of the same name comes first. */
  function entityFor(name: string, thrown: unknown): UnifiedEntity {
    if (!AtomicError.is(thrown, "WORKFLOW_NOT_FOUND")) throw thrown;
    const entity = findEntity(catalog, name);
    if (entity === undefined) throw nothingToRun(catalog, name, thrown);
    return entity;
  }

  /** If a user can be asked, asks about exactly the bytes that were refused, and records the consent. */
  async function isTrustedNow({ details }: AtomicError): Promise<boolean> {
    const { file } = details;
    if (options.askTrust === undefined || typeof file !== "string") return false;
    const { trustOverview } = await import("./trust.ts");
    const { questions } = trustOverview(await workspace(), file);
    for (const question of questions) {
      const answer = await options.askTrust(question);
      if (answer === false) return false;
      if (answer === "once") trustedHashes.add(question.hash);
      else await question.accept();
    }
    return questions.length > 0;
  }

  /** What is found without the project. */
  const userRegistry = once(() => {
    const registry = createEntityRegistry();
    const folders = { ...parts.folders, projectDir: parts.folders.atomicHome };
    fillRegistry(registry, openListing({ ...parts, folders }, { agent: options.agent }).catalog);
    return registry;
  });

  /** What applies when the project's own file may not run. */
  async function withoutProject(name: string): Promise<WorkflowDefinition | undefined> {
    const { openWorkspace } = await import("./workspace.ts");
    const home = openWorkspace({ ...parts, folders: { ...parts.folders, projectDir: parts.folders.atomicHome } });
    return createWorkflowLoader(home, trust)
      .load(name)
      .catch((thrown: unknown) => {
        const isUnusable =
          AtomicError.is(thrown, "WORKFLOW_NOT_FOUND") || AtomicError.is(thrown, "WORKFLOW_FILE_INVALID");
        if (isUnusable) return undefined;
        throw thrown;
      });
  }

  return {
    cwd,
    isTrusted,
    usage(name) {
      try {
        return findWorkflow(catalog, name).info;
      } catch (thrown) {
        return entityUsage(entityFor(name, thrown));
      }
    },
    workflow: (name) => workflow(name).catch((thrown: unknown) => entityWorkflow(entityFor(name, thrown))),
    requireTrust: (found) => requireTrustedCommands(found, own, trust),
    isTrustedNow,
    async environment() {
      const registry = createEntityRegistry();
      fillRegistry(registry, catalog);
      const find = createReplacer({ replacements, registry, userRegistry: isTrusted ? undefined : userRegistry });
      const nodeEntity = (type: EntityType, name: string): EntityPrompt => {
        const found = find(type, name);
        return createNodeEntities(found.registry)[type](found.name);
      };
      const load = (entry: ToolEntry): Promise<LoadedTool> => files.loadTool(entry, trust);
      return {
        ...(await loadProjectTools(catalog.tools, load, onNotice)),
        entities: {
          skill: (name) => nodeEntity("skill", name),
          command: (name) => nodeEntity("command", name),
          agent: (name) => nodeEntity("agent", name),
        },
        agent: (name) => {
          const found = find("agent", name);
          return agentDefinition(found.name, found.registry, options.agent);
        },
        // A stranger's agents may be asked for by name; they are not offered to an agent that did not ask.
        subagents: (isTrusted ? registry : userRegistry()).allAgents().map((entity) => ({
          ...agentDefinition(entity.name, isTrusted ? registry : userRegistry(), options.agent),
          isBuiltin: entity.source.location === "builtin",
        })),
        workflows: (name) =>
          workflow(name).then(graphOf, (thrown: unknown) => {
            if (AtomicError.is(thrown, "WORKFLOW_NOT_FOUND")) return null;
            throw thrown;
          }),
      };
    },
  };
}

function requireTrustedCommands(
  { file, commands }: CommandsInFile,
  { folders, clock }: Pick<AppParts, "folders" | "clock">,
  trust: TrustOptions,
): void {
  const subject = subjectOfCommands(file, commands, folders.atomicHome);
  const { find } = createTrustStore(folders.atomicHome, clock);
  if (decideTrust(subject, find(subject.kind, subject.path), trust).isTrusted) return;
  const count = commands.length === 1 ? "one command" : `${commands.length} commands`;
  const text = `${file} names ${count} to run as checks, and you have not trusted its commands. Nothing was started. Look at them with \`atomic trust ${file}\`, or add --trust for this run.`;
  throw new AtomicError("NOT_TRUSTED", text, { details: { file, commands: [...commands] } });
}

/** The loader is imported with the first file that is not built in: a run of a built-in workflow does not need it. */
function lazyLoader(workspace: () => Promise<Workspace>): Pick<ModuleLoader<AnyGraph>, "loadWorkflow" | "loadTool"> {
  return {
    loadWorkflow: async (...args) => (await workspace()).loader.loadWorkflow(...args),
    loadTool: async (...args) => (await workspace()).loader.loadTool(...args),
  };
}

function withFile(catalog: Catalog, file: string | undefined): Catalog {
  if (file === undefined) return catalog;
  const entry = workflowFileEntry(file);
  return { ...catalog, workflows: [entry, ...catalog.workflows.filter(({ info }) => info.name !== entry.info.name)] };
}

function agentDefinition(name: string, registry: EntityRegistry, kind: string): AgentDefinition {
  const entity = registry.getAgent(name);
  if (entity === undefined) throw entityNotFound("agent", name, registry);
  const { prompt, tools, toolRules } = createNodeEntities(registry).agent(name);
  const { description } = entity;
  return { name: entity.name, description, prompt, ...modelsOf(entity, kind), tools, toolRules };
}

/**
 * A program knows a model by the exact id that was written for it: `openai/gpt-5` in a file of OpenCode's. Elsewhere
 * only families of models mean something.
 */
function modelsOf({ source, declared }: UnifiedEntity, kind: string): Pick<AgentDefinition, "model" | "models"> {
  const written = declared?.models ?? (declared?.model === undefined ? [] : [declared.model]);
  const models = (source.provider === kind ? written : written.map(normalizeModel)).filter(
    (model) => model.toLowerCase() !== "inherit",
  );
  // A display name is not an id.
  if (models.length > 1 || models.some((model) => /\s/.test(model))) return { models };
  return { model: models[0] };
}
