// Where commands, skills and agents are: every folder of every provider, as one table, with its rank in the order of
// precedence. Owns the table and the order; the loaders read the folders.
//
// Order: project before user before built-in; inside one level atomic, then the folder of the agent that is in use,
// then claude, opencode, copilot; inside one provider the order of the table. A lower rank wins.

import { join } from "node:path";
import type { EntityLocation, EntityType, ProviderType } from "../entities/entity.ts";
import { realOrSame } from "../../lib/real-path.ts";

/** Where to look. All of it is passed in, so that a test can use other folders. */
export interface Roots {
  /** The folder a user works in. */
  readonly projectDir: string;
  /** The user's home. */
  readonly homeDir: string;
  /** `~/.atomic`, or where ATOMIC_HOME says. */
  readonly atomicHome: string;
}

export interface EntityFolder {
  readonly type: EntityType;
  readonly provider: ProviderType;
  readonly location: EntityLocation;
  readonly path: string;
  /** `files`: one markdown file each. `folders`: one folder each, with a SKILL.md. */
  readonly layout: "files" | "folders";
  /** The real path that nothing read here may lie outside of; undefined for a user's own folders. */
  readonly boundary: string | undefined;
  readonly rank: number;
}

/** An opencode.json, which holds commands and agents inline. */
export interface ConfigFile {
  readonly provider: "opencode";
  readonly location: EntityLocation;
  readonly path: string;
  readonly boundary: string | undefined;
  readonly rank: number;
}

export interface EntitySources {
  readonly folders: readonly EntityFolder[];
  readonly configFiles: readonly ConfigFile[];
}

export const builtinRank = 9000;

interface Level {
  readonly location: EntityLocation;
  readonly boundary: string | undefined;
  readonly rank: number;
  /** The provider's own folder at this level, for example `.claude` or `~/.copilot`; none where it has none. */
  readonly dirs: Readonly<Record<ProviderType, readonly string[]>>;
  /** Folders that hold an opencode.json. */
  readonly configDirs: readonly string[];
  /** Atomic keeps only agents in its managed copies (`~/.atomic/.claude/agents`). */
  readonly types: readonly EntityType[];
}

const subfolders: Readonly<Record<EntityType, Readonly<Record<ProviderType, readonly string[]>>>> = {
  command: { atomic: ["commands"], claude: ["commands"], opencode: ["command", "commands"], copilot: ["commands"] },
  skill: { atomic: ["skills"], claude: ["skills"], opencode: ["skills", "skill"], copilot: ["skills"] },
  agent: { atomic: ["agents"], claude: ["agents"], opencode: ["agents", "agent"], copilot: ["agents"] },
};

const everyType: readonly EntityType[] = ["command", "skill", "agent"];

export interface SourceOptions {
  readonly roots: Roots;
  readonly providers?: readonly ProviderType[];
  /** The agent in use: its own folder comes right after Atomic's. */
  readonly activeAgent?: string | undefined;
}

/** Everything to read, each folder once: in the home folder, a project's folders are the user's own. */
export function entitySources(options: SourceOptions): EntitySources {
  const user = userLevels(options.roots);
  const isHome = realOrSame(options.roots.projectDir) === realOrSame(options.roots.homeDir);
  const levels = isHome ? user : [projectLevel(options.roots.projectDir), ...user];
  return sourcesOf(levels, options);
}

/** The folders of one provider under one base path, as `registerFromProvider` reads them. */
export function providerSources(provider: ProviderType, basePath: string, location: "project" | "user"): EntitySources {
  const roots: Roots = { projectDir: basePath, homeDir: basePath, atomicHome: join(basePath, ".atomic") };
  const levels = location === "project" ? [projectLevel(basePath)] : userLevels(roots);
  return sourcesOf(levels, { roots, providers: [provider] });
}

function projectLevel(projectDir: string): Level {
  const at = (dir: string): string[] => [join(projectDir, dir)];
  return {
    location: "project",
    boundary: realOrSame(projectDir),
    rank: 0,
    dirs: { atomic: at(".atomic"), claude: at(".claude"), opencode: at(".opencode"), copilot: at(".github") },
    configDirs: [projectDir, join(projectDir, ".opencode")],
    types: everyType,
  };
}

function userLevels({ homeDir, atomicHome }: Roots): Level[] {
  const own: Level = {
    location: "user",
    boundary: undefined,
    rank: 1000,
    dirs: {
      atomic: [atomicHome],
      claude: [join(homeDir, ".claude")],
      opencode: [join(homeDir, ".opencode"), join(homeDir, ".config", "opencode")],
      copilot: [join(homeDir, ".copilot")],
    },
    configDirs: [join(homeDir, ".opencode"), join(homeDir, ".config", "opencode")],
    types: everyType,
  };
  const managed: Level = {
    ...own,
    rank: 2000,
    dirs: {
      atomic: [],
      claude: [join(atomicHome, ".claude")],
      opencode: [join(atomicHome, ".opencode")],
      copilot: [join(atomicHome, ".copilot")],
    },
    configDirs: [],
    types: ["agent"],
  };
  return [own, managed];
}

function sourcesOf(levels: readonly Level[], options: SourceOptions): EntitySources {
  const order = providerOrder(options.activeAgent);
  const wanted = new Set(options.providers ?? order);
  const folders: EntityFolder[] = [];
  const configFiles: ConfigFile[] = [];
  for (const level of levels) {
    for (const [position, provider] of order.entries()) {
      if (!wanted.has(provider)) continue;
      const rank = level.rank + position * 100;
      folders.push(...foldersOf(level, provider, rank));
      if (provider === "opencode") configFiles.push(...configFilesOf(level, rank + 50));
    }
  }
  return { folders, configFiles };
}

function providerOrder(activeAgent: string | undefined): readonly ProviderType[] {
  const rest: readonly ProviderType[] = ["claude", "opencode", "copilot"];
  const active = rest.filter((provider) => provider === activeAgent);
  return ["atomic", ...active, ...rest.filter((provider) => provider !== activeAgent)];
}

function foldersOf(level: Level, provider: ProviderType, rank: number): EntityFolder[] {
  const folders: EntityFolder[] = [];
  for (const type of level.types) {
    for (const dir of level.dirs[provider]) {
      for (const subfolder of subfolders[type][provider]) {
        const layout = type === "skill" ? "folders" : "files";
        const path = join(dir, subfolder);
        const { location, boundary } = level;
        folders.push({ type, provider, location, path, layout, boundary, rank: rank + folders.length });
      }
    }
  }
  return folders;
}

function configFilesOf(level: Level, rank: number): ConfigFile[] {
  const { location, boundary } = level;
  const paths = level.configDirs.flatMap((dir) => [join(dir, "opencode.json"), join(dir, "opencode.jsonc")]);
  return paths.map((path, i) => ({ provider: "opencode", location, path, boundary, rank: rank + i }));
}
