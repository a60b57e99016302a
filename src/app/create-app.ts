// The application, as every front end sees it: runs, what was found on disk, trust, settings, agents and slash
// commands. Creating it loads nothing; each part loads what it needs on first use. What was read from the disk
// is kept until `reload`.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { ModelInfo } from "../agents/port.ts";
import type { CatalogKind } from "../catalog/catalog.ts";
import type { EntityType } from "../catalog/entities/entity.ts";
import type { TrustOptions } from "../catalog/trust/decide-trust.ts";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";
import type { AgentBackend } from "./agent-backends.ts";
import { type AppChat, createAppChat } from "./chat/app-chat.ts";
import type { ScreenFacts } from "./chat/screen-facts.ts";
import type { DoctorReport } from "./doctor.ts";
import type { ListingWorkspace } from "./listing-workspace.ts";
import type { EntityDetails, EntityRow, Listing, SlashRow, WorkflowRow } from "./listings.ts";
import type { Folders } from "./folders.ts";
import { findProjectFolder } from "./project-folder.ts";
import type { RunApp, RunParts } from "./run-app.ts";
import type { CommandDetails, SlashOutcome } from "./run-command.ts";
import type { RecordedRuns } from "./recorded-runs.ts";
import { createAppRuns, type AppRuns } from "./runs/app-runs.ts";
import type { NewWorkflow, NewWorkflowOptions, ScaffoldResult } from "./scaffold.ts";
import type { ResolvedSetting, SettingChange, SettingsFiles, SettingsList } from "./settings.ts";
import type { MigratedTasks } from "./task-lists.ts";
import type { TrustedThing, TrustOverview } from "./trust.ts";
import type { CheckResult, WorkflowGraph } from "./workflow-check.ts";
import type { WorkflowStatus } from "./workflow-status.ts";
import type { Workspace } from "./workspace.ts";

export interface AppCatalog {
  workflows(): Promise<Listing<WorkflowRow>>;
  /** By name or alias. Throws WORKFLOW_NOT_FOUND. Imports no file. */
  workflow(name: string): Promise<WorkflowStatus>;
  /** Needs trust: the file is imported and compiled; no node runs. */
  graph(name: string, trust?: TrustOptions): Promise<WorkflowGraph>;
  /** The same for several, or for all when none is named, with every fault. */
  check(names: readonly string[], trust?: TrustOptions): Promise<readonly CheckResult[]>;
  entities(type: EntityType): Promise<Listing<EntityRow>>;
  /** By name or alias. Throws ENTITY_NOT_FOUND. */
  entity(type: EntityType, name: string): Promise<EntityDetails>;
  /** A workflow file to start from. */
  create(name: string, options: NewWorkflowOptions): Promise<NewWorkflow>;
  /** `.atomic/` with a first workflow and types for editors. Safe to repeat. */
  init(): Promise<ScaffoldResult>;
  /** Reads the disk again. */
  reload(): void;
}

export interface AppTrust {
  /**
   * What waits for consent; `path`: a file, or the folder of a project, from the app's own folder. Each question is
   * accepted by its own call.
   */
  overview(path?: string): Promise<TrustOverview>;
  trusted(): Promise<readonly TrustedThing[]>;
  forget(path?: string): Promise<readonly TrustedThing[]>;
}

export interface AppSettings {
  list(): Promise<SettingsList>;
  read(key: string): Promise<ResolvedSetting | undefined>;
  change(
    change: SettingChange,
  ): Promise<{ readonly file: string; readonly overriddenBy?: string; readonly leftOut?: string }>;
  drop(key: Pick<SettingChange, "key" | "isProject">): Promise<{ readonly file: string; readonly wasThere: boolean }>;
  files(): Promise<SettingsFiles>;
  /** The JSON Schema of settings.json. */
  schema(): Promise<object>;
  /** Runs that start from now on use the current files. */
  reload(): void;
}

export interface AppAgents {
  /** The backends that a run can choose from, and what each can do. */
  list(): Promise<readonly AgentBackend[]>;
  /** Without a kind: of the agent that the settings prefer. Throws AGENT_CAPABILITY and AGENT_UNAVAILABLE. */
  models(kind?: string): Promise<readonly ModelInfo[]>;
  /** What a run would need, agents' programs and logins included, and what is wrong with it. */
  check(): Promise<DoctorReport>;
}

export interface AppCommands {
  /** Everything that can be typed after a slash. */
  list(): Promise<Listing<SlashRow>>;
  /** One of them, with what it sends to the agent. Throws ENTITY_NOT_FOUND. */
  describe(name: string): Promise<CommandDetails>;
  /** Runs a line such as `/model list` outside a chat. What a chat or a run has to do next comes back as data. */
  run(line: string): Promise<SlashOutcome>;
}

export interface AppTasks {
  /**
   * A feature list as a tasks.json, written to `output` where that is given. Throws USAGE when the file is not there,
   * and FILE_EXISTS when `output` is.
   */
  migrate(file: string, output?: string): Promise<MigratedTasks>;
}

export interface AppStore {
  /** Makes the tables in the database that the settings name. Throws USAGE when they name none. */
  prepare(): Promise<{ readonly place: string }>;
}

export interface App {
  /** The folder it works in, and the user's own. */
  readonly folders: Folders;
  readonly now: () => number;
  /** The same app in another folder, named from this one. Throws USAGE if it is not a folder. */
  inFolder(folder: string | undefined): App;
  readonly runs: AppRuns;
  readonly chat: AppChat;
  readonly catalog: AppCatalog;
  readonly trust: AppTrust;
  readonly settings: AppSettings;
  readonly agents: AppAgents;
  readonly commands: AppCommands;
  readonly tasks: AppTasks;
  readonly store: AppStore;
}

export function createApp(parts: RunParts): App {
  const { folders, clock } = parts;
  let listings = new Map<string, Promise<ListingWorkspace>>();
  let workspace: Promise<Workspace> | undefined;
  let runApp: Promise<RunApp> | undefined;
  let recorded: Promise<RecordedRuns> | undefined;
  let screenFacts: Promise<ScreenFacts> | undefined;

  /** Only these kinds are read; a look at everything serves them all. */
  function listing(...only: readonly CatalogKind[]): Promise<ListingWorkspace> {
    const key = only.join(" ");
    const known = listings.get("") ?? listings.get(key);
    if (known !== undefined) return known;
    const opened = import("./listing-workspace.ts").then(({ openListing }) =>
      openListing(parts, only.length === 0 ? {} : { only }),
    );
    listings.set(key, opened);
    return opened;
  }
  const whole = (): Promise<Workspace> =>
    (workspace ??= import("./workspace.ts").then(({ openWorkspace }) => openWorkspace(parts)));

  function reloadCatalog(): void {
    listings = new Map();
    workspace = undefined;
  }

  function reloadAll(): void {
    reloadCatalog();
    runApp = undefined;
    recorded = undefined;
    screenFacts = undefined;
  }

  const loadRunApp = (): Promise<RunApp> =>
    (runApp ??= import("./run-app.ts").then(({ createRunApp }) => createRunApp(parts)));
  const runs = createAppRuns({
    app: loadRunApp,
    recorded: () => (recorded ??= import("./recorded-runs.ts").then(({ openRecordedRuns }) => openRecordedRuns(parts))),
    newId: parts.newId,
    projectDir: folders.projectDir,
    prepareTest: async (options, ports) => (await import("./runs/test-file.ts")).prepareTest(parts, options, ports),
  });

  const inProject = (projectDir: string): RunParts => ({ ...parts, folders: { ...folders, projectDir } });

  /** What a path that is to be trusted belongs to: the project around it, which need not be this one. */
  async function trustPlace(written: string | undefined): Promise<{ path: string | undefined; in: Workspace }> {
    const { trustTarget } = await import("./trust.ts");
    const { path, projectDir } = trustTarget(folders, written);
    if (projectDir === folders.projectDir) return { path, in: await whole() };
    return { path, in: (await import("./workspace.ts")).openWorkspace(inProject(projectDir)) };
  }

  const models = async (kind?: string): Promise<readonly ModelInfo[]> =>
    (await import("./agent-backends.ts")).listAgentModels(parts, kind);

  return {
    folders,
    now: () => clock.now(),
    inFolder(folder) {
      if (folder === undefined) return this;
      const path = resolve(folders.currentDir, folder);
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
        throw new AtomicError("USAGE", `${safeLine(path, 300)} is not a folder.`);
      return createApp(inProject(findProjectFolder(path, folders.homeDir)));
    },
    runs,
    chat: createAppChat({
      app: loadRunApp,
      catalog: async () => (await listing()).catalog,
      runs,
      projectDir: folders.projectDir,
      atomicHome: folders.atomicHome,
      now: () => clock.now(),
      checkAgents: () => parts.checkAgents(),
      screenFacts: () =>
        (screenFacts ??= import("./chat/screen-facts.ts").then(({ readScreenFacts }) => readScreenFacts(parts))),
    }),
    catalog: {
      async workflows() {
        const { listWorkflows } = await import("./listings.ts");
        return listWorkflows(await listing("workflow"));
      },
      async workflow(name) {
        const { workflowStatus } = await import("./workflow-status.ts");
        return workflowStatus(await whole(), name);
      },
      async graph(name, trust) {
        const { workflowGraph } = await import("./workflow-check.ts");
        return workflowGraph(await whole(), name, trust);
      },
      async check(names, trust) {
        const { checkWorkflows } = await import("./workflow-check.ts");
        return checkWorkflows(await whole(), names, trust);
      },
      async entities(type) {
        const { listEntities } = await import("./listings.ts");
        return listEntities(await listing(type), type);
      },
      async entity(type, name) {
        const { describeEntity } = await import("./listings.ts");
        return describeEntity(await listing(type), type, name);
      },
      async create(name, options) {
        const { newWorkflow } = await import("./scaffold.ts");
        const made = await newWorkflow(parts, name, options);
        reloadCatalog();
        return made;
      },
      async init() {
        const { initProject } = await import("./scaffold.ts");
        // A separate project, even inside another one.
        const made = await initProject({ ...parts, folders: { ...folders, projectDir: folders.currentDir } });
        reloadCatalog();
        return made;
      },
      reload: reloadCatalog,
    },
    trust: {
      async overview(path) {
        const { trustOverview } = await import("./trust.ts");
        const target = await trustPlace(path);
        return trustOverview(target.in, target.path);
      },
      async trusted() {
        const { trustedThings } = await import("./trust.ts");
        return trustedThings(await whole());
      },
      async forget(path) {
        const { forgetTrust } = await import("./trust.ts");
        const target = await trustPlace(path);
        return forgetTrust(target.in, target.path);
      },
    },
    settings: {
      list: async () => (await import("./settings.ts")).listSettings(parts),
      read: async (key) => (await import("./settings.ts")).readSetting(parts, key),
      async change(change) {
        const changed = (await import("./settings.ts")).changeSetting(parts, change);
        reloadAll();
        return changed;
      },
      async drop(key) {
        const dropped = (await import("./settings.ts")).dropSetting(parts, key);
        reloadAll();
        return dropped;
      },
      files: async () => (await import("./settings.ts")).settingsFiles(parts),
      schema: async () => (await import("./settings.ts")).settingsSchema(),
      // The catalog depends on them: the chosen agent's own folders come first.
      reload: reloadAll,
    },
    agents: {
      list: async () => (await import("./agent-backends.ts")).listAgentBackends(parts),
      models,
      async check() {
        const { runDoctor } = await import("./doctor.ts");
        return runDoctor(await whole());
      },
    },
    tasks: {
      migrate: async (file, output) => (await import("./task-lists.ts")).migrateTasks(parts, file, output),
    },
    store: { prepare: async () => (await import("./prepare-store.ts")).prepareConfiguredStore(parts) },
    commands: {
      async list() {
        const { listSlashCommands } = await import("./slash-commands.ts");
        return listSlashCommands(await listing());
      },
      async describe(name) {
        const { describeCommand } = await import("./run-command.ts");
        return describeCommand(await listing(), name);
      },
      async run(line) {
        const { runSlashCommand } = await import("./run-command.ts");
        const { runOptions } = await import("./runs/run-options.ts");
        const { settings } = await whole();
        return runSlashCommand(await listing(), line, {
          models: { current: () => settings.text("model"), list: () => models(), refresh: () => models() },
          servers: { servers: noServers, switchServer: noServers },
          activeWorkflow: () => undefined,
          runOptions,
        });
      },
    },
  };
}

/** Only a session knows them. */
function noServers(): never {
  throw new AtomicError(
    "AGENT_CAPABILITY",
    "The agent's tool servers are known in a chat. Open one with `atomic chat`.",
  );
}
