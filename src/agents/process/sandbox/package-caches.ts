// The caches of package managers: what an agent may write besides its own work, because nothing could be installed or
// built without. A cache that is missing is made where its program is installed; of others nothing is made.

import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "../../../lib/atomic-file.ts";

interface PackageCache {
  /** Below the home folder. */
  readonly path: string;
  /** The variable that moves it, and what is appended to its value. */
  readonly variable?: readonly [name: string, rest: string];
  /** Programs that use it. */
  readonly programs: readonly string[];
}

const caches: readonly PackageCache[] = [
  { path: ".npm", variable: ["npm_config_cache", ""], programs: ["npm"] },
  { path: ".cache/node", programs: ["corepack"] },
  { path: ".cache/yarn", variable: ["YARN_CACHE_FOLDER", ""], programs: ["yarn"] },
  { path: ".yarn/berry", variable: ["YARN_GLOBAL_FOLDER", ""], programs: ["yarn"] },
  { path: ".local/share/pnpm/store", programs: ["pnpm"] },
  { path: ".cache/pnpm", programs: ["pnpm"] },
  { path: ".bun/install/cache", variable: ["BUN_INSTALL_CACHE_DIR", ""], programs: ["bun"] },
  { path: ".cache/deno", variable: ["DENO_DIR", ""], programs: ["deno"] },
  { path: ".cache/pip", variable: ["PIP_CACHE_DIR", ""], programs: ["pip", "pip3"] },
  { path: ".cache/uv", variable: ["UV_CACHE_DIR", ""], programs: ["uv"] },
  { path: ".cache/pypoetry", variable: ["POETRY_CACHE_DIR", ""], programs: ["poetry"] },
  { path: ".cargo/registry", variable: ["CARGO_HOME", "registry"], programs: ["cargo"] },
  { path: ".cargo/git", variable: ["CARGO_HOME", "git"], programs: ["cargo"] },
  { path: ".cache/go-build", variable: ["GOCACHE", ""], programs: ["go"] },
  { path: "go/pkg", variable: ["GOMODCACHE", ""], programs: ["go"] },
  { path: ".gradle/caches", variable: ["GRADLE_USER_HOME", "caches"], programs: ["gradle"] },
  { path: ".m2/repository", programs: ["mvn"] },
  { path: ".nuget/packages", variable: ["NUGET_PACKAGES", ""], programs: ["dotnet"] },
  { path: ".gem", programs: ["gem"] },
  { path: ".composer/cache", programs: ["composer"] },
  { path: ".cache/ccache", variable: ["CCACHE_DIR", ""], programs: ["ccache"] },
  { path: ".cache/sccache", variable: ["SCCACHE_DIR", ""], programs: ["sccache"] },
  { path: "Library/Caches", programs: [] },
];

/** Those that are there, or whose program is. */
export function packageCaches(
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const folders = (environment["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  const isInstalled = (name: string): boolean => folders.some((folder) => isProgram(join(folder, name)));
  return caches.flatMap(({ path, variable, programs }) => {
    const moved = variable === undefined ? undefined : environment[variable[0]];
    const folder = moved?.startsWith("/") === true ? join(moved, variable?.[1] ?? "") : join(home, path);
    return existsSync(folder) || programs.some(isInstalled) ? [folder] : [];
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}
