// What every backend that starts programs gets from the outside: the user's environment and settings, the record of
// processes, time and ids. The command line makes a whole one; tests build theirs from nothing; a program that uses the
// library leaves out what it does not want to change.

import { join } from "node:path";
import { steadyClock, type Clock } from "../../lib/clock.ts";
import { atomicHome } from "../../lib/home-folder.ts";
import { childEnvironment, type ChildEnvironmentOptions, type Environment } from "./child-environment.ts";
import type { ProgramSandbox } from "./sandbox/program-sandbox.ts";
import { createProcessRegistry, type ProcessRegistry } from "./process-registry.ts";

export interface BackendHost {
  readonly environment: Omit<ChildEnvironmentOptions, "add">;
  /** Paths of programs from the user's own settings, by backend: `{ claude: "/opt/claude" }`. */
  readonly programs: Readonly<Record<string, string | undefined>>;
  /** The folder that agents' npm packages are looked for from, going up. Absent: this program's own. */
  readonly packagesFrom?: string | undefined;
  /** What programs are started in. Absent: nothing holds them back. */
  readonly sandbox?: ProgramSandbox | undefined;
  readonly registry: ProcessRegistry;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** A host of which everything may be left out. */
export interface BackendOptions extends Loose<BackendHost> {
  /**
   * The folder that records which programs run, so that they can be ended after a kill. Default:
   * `~/.atomic/processes`.
   */
  readonly processesDir?: string | undefined;
}

type Loose<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** A host with a default for everything: the environment of this process, no settings, the system's clock. */
export function backendHost(options: BackendOptions = {}): BackendHost {
  const { environment = { user: process.env }, programs = {}, packagesFrom, sandbox, clock = steadyClock } = options;
  const { newId = () => crypto.randomUUID(), processesDir = join(atomicHome(environment.user), "processes") } = options;
  const registry = options.registry ?? createProcessRegistry(processesDir);
  return { environment, programs, packagesFrom, sandbox, registry, clock, newId };
}

/** The environment of a program of this backend. */
export function programEnvironment(host: BackendHost, add: Environment): Record<string, string> {
  return childEnvironment({ ...host.environment, add });
}
