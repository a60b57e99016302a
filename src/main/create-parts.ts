// Wires the program: the real environment, clock and home, the backends, the built-in workflows. Nothing heavy is loaded
// here: each thing is imported when it is asked for.

import { AtomicError } from "../lib/errors.ts";
import type { BackendReport } from "../agents/port.ts";
import type { HostModules } from "../catalog/load/module-host.ts";
import type { AgentSpec } from "../app/agents.ts";
import type { BuiltinWorkflow } from "../app/parts.ts";
import { foldersOf } from "../app/folders.ts";
import type { RunParts } from "../app/run-app.ts";
import { steadyClock } from "../lib/clock.ts";
import { createRedactor, createStreamRedactors } from "../lib/redact.ts";
import { resolveSettings } from "../settings/resolve-settings.ts";
import { ralphMetadata } from "../workflows/ralph/metadata.ts";
import { createEditorTypes } from "./editor-types.ts";
import { join } from "node:path";

/** The workflows that come with the program. */
const builtinWorkflows: readonly BuiltinWorkflow[] = [
  {
    metadata: ralphMetadata,
    load: async () => (await import("../workflows/ralph/definition.ts")).ralphDefinition,
  },
];

const workflows = (): Promise<object> => import("../public/workflows.ts");
const graph = (): Promise<object> => import("../public/graph-with-files.ts");

/** What a workflow file may import from any folder. The names are those of the package's subpaths. */
const hostModules: HostModules = {
  "atomic/workflows": workflows,
  "@atomic/workflows": workflows,
  "atomic/workflows/graph": graph,
  "@atomic/graph": graph,
  "atomic/workflows/sqlite": () => import("../public/sqlite.ts"),
  "atomic/workflows/postgres": () => import("../public/postgres.ts"),
  "atomic/agents": () => import("../public/agents.ts"),
  "atomic/testing": () => import("../public/testing.ts"),
  "atomic/types": () => import("../public/types.ts"),
  zod: () => import("zod"),
};

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new AtomicError("USAGE", "The current folder is gone, or can't be read. Change to another one.", { cause });
  }
}

export function createParts(): RunParts {
  const environment = process.env;
  const folders = foldersOf(environment, currentFolder());
  const clock = steadyClock;
  const newId = (): string => crypto.randomUUID();

  // Nothing to end before the first agent is made.
  let endChildren: RunParts["endChildren"] = () => undefined;

  const makeAgent: RunParts["makeAgent"] = async (spec) => {
    const { createMakeAgent } = await import("./make-agent.ts");
    ({ endChildren } = await import("./end-children.ts"));
    const settings = resolveSettings({ folders, environment });
    const maskNames = settings.list("mask.names");
    const secrets = { ...environment, ATOMIC_STORE: settings.text("store") };
    const redact = createRedactor(secrets, maskNames);
    const createStreamRedactor = createStreamRedactors(secrets, maskNames);
    return createMakeAgent({ environment, clock, newId, redact, createStreamRedactor })(spec);
  };
  const openRuns: RunParts["openRuns"] = async (keeping) => (await import("./open-runs.ts")).openRuns(keeping);
  const prepareStore: RunParts["prepareStore"] = async (url) => (await import("./open-runs.ts")).prepareStore(url);
  const reap: RunParts["reap"] = async (folder) => {
    const { reapOrphans } = await import("../agents/process/reap-orphans.ts");
    return reapOrphans({ folder, clock });
  };

  async function checkAgents(): Promise<readonly BackendReport[]> {
    const settings = resolveSettings({ folders, environment });
    const processesDir = join(folders.atomicHome, "processes");
    await reap(processesDir);
    return Promise.all(
      (["claude", "opencode", "copilot"] as const).map(async (kind) => {
        const programs: AgentSpec["programs"] = { [kind]: settings.text(`agents.${kind}.path`) };
        const client = await makeAgent({ kind, programs, processesDir, memoryDir: processesDir });
        try {
          return await client.check();
        } finally {
          await client.close();
        }
      }),
    );
  }

  return {
    folders,
    environment,
    clock,
    newId,
    builtinWorkflows,
    hostModules,
    editorTypes: createEditorTypes(),
    checkAgents,
    makeAgent,
    openRuns,
    prepareStore,
    reap,
    endChildren: (folder) => endChildren(folder),
  };
}
