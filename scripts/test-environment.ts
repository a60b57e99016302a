// The environment of tests: built from a short list, never inherited, so that no login, key or setting of the user can
// reach what is tested, and nothing is written to their home.

import { join } from "node:path";

/** Needed to find programs and to print text; nothing here names a user's files. */
const inherited = [
  ...["PATH", "LANG", "LC_ALL", "TERM", "TZ", "CI", "NO_COLOR", "FORCE_COLOR"],
  // The size of random searches and samples, and their seeds.
  ...["ATOMIC_RANDOM_RUNS", "ATOMIC_RANDOM_SEED", "ATOMIC_MATRIX_KILLS", "ATOMIC_MATRIX_SEED"],
  ...[
    "ATOMIC_POSTGRES_KILLS",
    "ATOMIC_LANDING_KILLS",
    "ATOMIC_LANDING_RANDOM",
    "ATOMIC_LANDING_SEED",
    "ATOMIC_ISOLATION_FILES",
    "ATOMIC_REFLINK",
  ],
] as const;

/** Every variable that points a program to a user's files, redirected into `root`. */
export function homeVariables(root: string): Record<string, string> {
  const home = join(root, "home");
  return {
    ATOMIC_TEST_HOME: home,
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
}

export function testEnvironment(
  root: string,
  from: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of inherited) {
    const value = from[name];
    if (value !== undefined) environment[name] = value;
  }
  return {
    ...environment,
    ...homeVariables(root),
    TMPDIR: join(root, "tmp"),
    // Bun keeps transpiled copies of large files in the cache folder; tests should see the source.
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
  };
}
