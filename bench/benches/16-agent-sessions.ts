// Twenty sessions at once on one OpenCode server: a turn in each, all at the same time, with a tool that writes a file.
// Real program, a model on loopback. Bun only: the program runs on nothing else.

import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, MeasureContext } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { duration } from "../harness/text.ts";

const sessions = 20;

async function measure({ folder }: MeasureContext): Promise<Figures> {
  if (typeof Bun === "undefined") return {};
  const { withPlace } = await import("../agents/place.ts");
  const { openPortAgent } = await import("../agents/port-agent.ts");
  const { scenarioPrompt } = await import("../../src/testing/model-server/scenario.ts");
  const { rigBackend } = await import("../../tests/agents/backends/opencode.ts");
  return withPlace("opencode", folder, async (place) => {
    const client = rigBackend.createClient(place);
    try {
      // One project, as in a run: what OpenCode loads for a folder it loads once.
      const project = join(place.root, "project");
      const folders = Array.from({ length: sessions }, (_, index) => join(project, `work-${index}`));
      for (const path of folders) mkdirSync(path, { recursive: true });
      const startedAt = performance.now();
      const agents = await Promise.all(folders.map(() => openPortAgent(client, rigBackend, project)));
      const openedAt = performance.now();
      const before = process.cpuUsage();
      await Promise.all(agents.map((agent, index) => agent.turn(scenarioPrompt("file", folders[index]), () => {})));
      const { user, system } = process.cpuUsage(before);
      return {
        openNs: (openedAt - startedAt) * 1e6,
        turnsNs: (performance.now() - openedAt) * 1e6,
        cpuNs: ((user + system) * 1e3) / sessions,
        done: folders.filter((path) => existsSync(join(path, "file-0.txt"))).length,
        servers: startedServers(join(place.root, "pids")),
      };
    } finally {
      await client.close();
    }
  });
}

/** As the record of started programs has them. */
function startedServers(records: string): number {
  interface HostRecord {
    readonly children: readonly { readonly name: string }[];
  }
  return readdirSync(records)
    .flatMap((name) => (JSON.parse(readFileSync(join(records, name), "utf8")) as HostRecord).children)
    .filter(({ name }) => name === "opencode serve").length;
}

export default defineBench({
  title: "Twenty sessions at once on one OpenCode server",
  part: "agents",
  unit: "turn",
  rounds: { full: 1, quick: 1 },
  needsAgents: true,
  subjects: { opencode: { measure } },
  rows(measured) {
    const figure = (name: string): number => measured.median("opencode", name);
    if (!Number.isFinite(figure("done"))) return [];
    return [
      {
        work: "OpenCode: twenty sessions at once, a turn with a tool in each",
        target: `${sessions} turns on 1 server`,
        measured: `${figure("done")} turns on ${figure("servers")} server in ${duration(figure("turnsNs"))} (opened in ${duration(figure("openNs"))}; host CPU of a turn ${duration(figure("cpuNs"))})`,
        isMet: figure("done") === sessions && figure("servers") === 1,
      },
    ];
  },
});
