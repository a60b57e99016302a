// Shared by the suites of the real programs: a separate folder, an environment built from nothing, and the harness of
// the contract around a model on loopback. A backend provides what differs (RigBackend).

import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { AgentClient, OpenOptions } from "../../src/agents/port.ts";
import type { BackendHost } from "../../src/agents/process/backend-host.ts";
import { createProcessRegistry } from "../../src/agents/process/process-registry.ts";
import { reapOrphans } from "../../src/agents/process/reap-orphans.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { AgentHarness } from "../../src/testing/contracts/agent-harness.ts";
import type { ModelServer } from "../../src/testing/model-server/model-server.ts";
import { scenarioPrompt } from "../../src/testing/model-server/scenario.ts";
import type { AgentVocabulary } from "../../src/testing/model-server/vocabulary.ts";

/** Where a suite's programs live and whom they ask. JSON, because it goes to the host process that cases kill. */
export interface RigPlace {
  /** Everything is below it; removed after the suite. */
  readonly root: string;
  /** `http://127.0.0.1:PORT`, without `/v1`. */
  readonly modelUrl: string;
}

export interface RigBackend {
  /** Also the name of its file in backends/. */
  readonly kind: string;
  readonly vocabulary: AgentVocabulary;
  /** What the program calls the contract's own tool: `mcp__atomic__add_numbers`. */
  readonly ownToolName: string;
  readonly open: Partial<OpenOptions>;
  readonly otherModel: string;
  readonly silenceMs: number;
  /** A client as a process would create it, over the home and the records of the suite. */
  readonly createClient: (place: RigPlace) => AgentClient;
  readonly plantProject: AgentHarness["plantProject"];
}

export const homeOf = (place: RigPlace): string => join(place.root, "home");

/** What a client gets from the outside. `variables` are the backend's own: a base URL, a dummy key. */
export function rigHost(place: RigPlace, variables: Readonly<Record<string, string>>): BackendHost {
  const home = homeOf(place);
  const temp = join(place.root, "tmp");
  mkdirSync(temp, { recursive: true });
  for (const folder of [".config", ".cache", ".local/share", ".local/state"])
    mkdirSync(join(home, folder), { recursive: true });
  return {
    environment: {
      user: {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        TMPDIR: temp,
        LANG: "C.UTF-8",
        TZ: "UTC",
        XDG_CONFIG_HOME: join(home, ".config"),
        XDG_CACHE_HOME: join(home, ".cache"),
        XDG_DATA_HOME: join(home, ".local/share"),
        XDG_STATE_HOME: join(home, ".local/state"),
        ...variables,
      },
    },
    programs: {},
    packagesFrom: import.meta.dirname,
    registry: createProcessRegistry(recordsOf(place)),
    clock: systemClock,
    newId: randomUUID,
  };
}

export function rigHarness(backend: RigBackend, place: RigPlace, server: ModelServer): AgentHarness {
  return {
    client: backend.createClient(place),
    newFolder: () => realpathSync(mkdtempSync(join(place.root, "work-"))),
    prompt: scenarioPrompt,
    open: backend.open,
    silenceMs: backend.silenceMs,
    otherModel: backend.otherModel,
    newClient: async () => backend.createClient(place),
    hostCommand: (folder, prompt) => ({
      file: process.execPath,
      args: [join(import.meta.dirname, "host.ts"), backend.kind, JSON.stringify(place), folder, prompt],
      env: { PATH: process.env["PATH"] ?? "", HOME: homeOf(place), BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
    }),
    reap: async () => void (await reapOrphans({ folder: recordsOf(place), clock: systemClock })),
    plantProject: backend.plantProject,
    requests: () => server.seen,
  };
}

function recordsOf(place: RigPlace): string {
  return join(place.root, "pids");
}
