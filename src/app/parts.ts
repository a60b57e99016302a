// What the listing side of the application is given: main.ts makes it, once, and knows everything concrete.

import type { HostModules } from "../catalog/load/module-host.ts";
import type { BackendReport } from "../agents/port.ts";
import type { Clock } from "../lib/clock.ts";
import type { WorkflowDefinition } from "../workflows/definition.ts";
import type { Folders, ProcessEnvironment } from "./folders.ts";

/** A workflow that comes with the program. What lists it costs nothing; its code is loaded when it runs. */
export interface BuiltinWorkflow {
  readonly metadata: Pick<
    WorkflowDefinition,
    "name" | "description" | "aliases" | "version" | "stateVersion" | "argumentHint" | "options" | "prompt"
  >;
  load(): Promise<WorkflowDefinition>;
}

/** Declarations for editors: a folder of this installation, or files that are written out first. */
export interface EditorTypes {
  /** Subpath (`atomic/workflows`) → absolute path of its declarations. `home` is where files may be written. */
  paths(home: string): Promise<Readonly<Record<string, string>>>;
  /** Folders of `@types`, and the packages of it that the declarations need. */
  readonly typeRoots: readonly string[];
  readonly types: readonly string[];
  /** Files beside the declarations that they need. */
  readonly include: readonly string[];
  /** What the declarations need of the compiler; sources are stricter than declarations. */
  readonly compilerOptions: Readonly<Record<string, boolean>>;
}

export interface AppParts {
  readonly folders: Folders;
  readonly environment: ProcessEnvironment;
  readonly clock: Clock;
  readonly builtinWorkflows: readonly BuiltinWorkflow[];
  /** What a workflow file may import without a package. */
  readonly hostModules: HostModules;
  readonly editorTypes: EditorTypes;
  /** Looks for the programs of all agents, one report each. */
  readonly checkAgents: () => Promise<readonly BackendReport[]>;
}
