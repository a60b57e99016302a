// What every backend that starts programs gets from the outside: the person's environment and settings, the record of
// processes, time and ids. main.ts makes one; tests build theirs from nothing.

import type { Clock } from "../../lib/clock.ts";
import { childEnvironment, type ChildEnvironmentOptions, type Environment } from "./child-environment.ts";
import type { ProcessRegistry } from "./process-registry.ts";

export interface BackendHost {
  readonly environment: Omit<ChildEnvironmentOptions, "add">;
  /** Paths of programs from the user's own settings, by backend: `{ claude: "/opt/claude" }`. */
  readonly programs: Readonly<Record<string, string | undefined>>;
  /** The folder that agents' npm packages are looked for from, going up. Absent: this program's own. */
  readonly packagesFrom?: string | undefined;
  readonly registry: ProcessRegistry;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The environment of a program of this backend. */
export function programEnvironment(host: BackendHost, add: Environment): Record<string, string> {
  return childEnvironment({ ...host.environment, add });
}
