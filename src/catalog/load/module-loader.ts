// Loads an entry of the catalog: checks that its bytes are trusted, runs exactly those bytes, and interprets what they
// export. No other part of the program imports a user's file.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { ModuleEntryFile, ToolEntry, WorkflowEntry } from "../catalog.ts";
import { Refusal } from "../diagnostics.ts";
import type { ImportClosure, PackageImport } from "../modules/import-closure.ts";
import { createModuleReader, type ModuleReader } from "../modules/read-module.ts";
import { sdkVersionProblem } from "../modules/workflow-file.ts";
import { checkTrust, type CheckedModule } from "../trust/check-trust.ts";
import type { TrustOptions } from "../trust/decide-trust.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import { callWithin, settleWithin } from "./guarded-call.ts";
import { interpretTool, type LoadedTool } from "./interpret-tool.ts";
import { interpretWorkflow, type GraphPort, type LoadedWorkflow } from "./interpret-workflow.ts";
import { faultOf, fileInvalid } from "./load-faults.ts";
import type { ModuleHost, ModuleNamespace } from "./module-host.ts";

export interface ModuleLoaderOptions<G> {
  readonly host: ModuleHost;
  readonly graph: GraphPort<G>;
  readonly store: Pick<TrustStore, "find">;
  readonly atomicHome: string;
  readonly sdkVersion: string;
  readonly clock: Clock;
  /**
   * One reader shared with the catalog saves a short-lived program from parsing twice. Default: a fresh one per check.
   */
  readonly reader?: ModuleReader;
  /** How long a file may take to load, and a factory to build its graph. Default: ten seconds. */
  readonly limitMs?: number;
}

/** A workflow that is a file, not a built-in. */
export type WorkflowFileEntry = WorkflowEntry & { readonly file: ModuleEntryFile };

export interface ModuleLoader<G> {
  /** What it consists of, and whether it may run. Runs nothing. */
  check(kind: "workflow" | "tool", file: ModuleEntryFile, trust?: TrustOptions): CheckedModule;
  /** Throws NOT_TRUSTED with the question, SDK_TOO_OLD, or WORKFLOW_FILE_INVALID with every fault. */
  loadWorkflow(entry: WorkflowFileEntry, trust?: TrustOptions): Promise<LoadedWorkflow<G>>;
  loadTool(entry: ToolEntry, trust?: TrustOptions): Promise<LoadedTool>;
}

export function createModuleLoader<G>(options: ModuleLoaderOptions<G>): ModuleLoader<G> {
  const { host, store, atomicHome, clock, limitMs = 10_000 } = options;

  function check(kind: "workflow" | "tool", file: ModuleEntryFile, trust: TrustOptions = {}): CheckedModule {
    try {
      // Whenever it was read, the bytes that are checked here are the bytes that run.
      const reader = options.reader ?? createModuleReader();
      const module = { kind, realPath: file.realPath, isOwn: file.isOwn };
      return checkTrust(module, { ...trust, reader, hostModules: host.names, store, atomicHome });
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      throw fileInvalid(file.path, [faultOf(thrown, file.path, limitMs)]);
    }
  }

  async function load(
    kind: "workflow" | "tool",
    file: ModuleEntryFile,
    trust?: TrustOptions,
  ): Promise<ModuleNamespace> {
    const { closure, decision } = check(kind, file, trust);
    if (!decision.isTrusted) {
      const change = decision.question.reason === "new" ? "was never trusted" : "has changed since it was trusted";
      const text = `${file.path} ${change}, so it does not run. Look at it, then run \`atomic trust\`, or add --trust for this run.`;
      throw new AtomicError("NOT_TRUSTED", text, { details: { file: file.path, question: decision.question } });
    }
    const missing = missingPackages(closure);
    if (missing.length > 0) throw fileInvalid(file.path, missing);
    try {
      return await host.run(closure, limitMs);
    } catch (thrown) {
      if (AtomicError.is(thrown, "WORKFLOW_FILE_INVALID")) throw thrown;
      throw fileInvalid(file.path, [faultOf(thrown, file.path, limitMs)], thrown);
    }
  }

  /** Boxed: a graph builder has its own `then`, and must not be mistaken for a promise. */
  async function callFactory(factory: () => unknown, file: string): Promise<{ readonly made: unknown }> {
    const made = callWithin(limitMs, factory);
    return { made: made instanceof Promise ? await settleWithin(limitMs, clock, made, file) : made };
  }

  return {
    check,
    async loadWorkflow(entry, trust) {
      const { info, file } = entry;
      const problem = sdkVersionProblem(info.minSDKVersion, options.sdkVersion);
      if (problem !== undefined) throw new AtomicError("SDK_TOO_OLD", `${file.path}: ${problem}`);
      const module = await load("workflow", file, trust);
      const { sdkVersion, graph } = options;
      return interpretWorkflow(module, {
        file: file.path,
        listed: info,
        sdkVersion,
        graph,
        limitMs,
        call: (factory) => callFactory(factory, file.path),
      });
    },
    async loadTool(entry, trust) {
      return interpretTool(await load("tool", entry.file, trust), entry.file.path, entry.info);
    },
  };
}

/** Checked before anything runs: the runtime itself might fetch a missing package from the network. */
function missingPackages(closure: ImportClosure): { path: string; problem: string }[] {
  return closure.packageImports.filter(isMissing).map(({ specifier, path, line }) => ({
    path: `${path}:${line}`,
    problem: `the package "${specifier}" is not installed in a node_modules folder beside or above the file`,
  }));
}

function isMissing({ specifier, path }: PackageImport): boolean {
  // A project's own import map, resolved by the runtime.
  if (specifier.startsWith("#")) return false;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules", name))) return false;
    if (folder === dirname(folder)) return true;
  }
}
