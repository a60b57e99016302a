// The servers of one client. Starting one takes seconds, so it is kept warm and shared by all sessions that can share
// it. What is fixed when a server starts sets sessions apart: whether a project is trusted, the sub-agents that are
// defined, our own tools. A run has one or two.

import type { AgentTool } from "../agent-tool.ts";
import type { BackendHost } from "../process/backend-host.ts";
import { findOpencode } from "./find-opencode.ts";
import { startOpencodeServer, type OpencodeServer } from "./opencode-server.ts";
import type { ServerNeeds } from "./server-config.ts";

export interface ServerPool {
  /** One that fits, started when there is none, or the one there was has died. */
  get(needs: ServerNeeds & { readonly tools: readonly AgentTool[] }, cwd: string): Promise<OpencodeServer>;
  stopAll(): Promise<void>;
}

export function createServerPool(host: BackendHost): ServerPool {
  const servers = new Map<string, Promise<OpencodeServer>>();
  const toolIds = new Map<AgentTool, number>();
  let isStopped = false;

  const idOf = (tool: AgentTool): number => {
    const id = toolIds.get(tool) ?? toolIds.size;
    toolIds.set(tool, id);
    return id;
  };

  return {
    async get({ tools, ...needs }, cwd) {
      const { path: program } = findOpencode(host, cwd);
      // Tools are functions: the same ones are the same objects.
      const key = JSON.stringify([program, needs.isProjectTrusted, needs.subagents, tools.map(idOf)]);
      const known = await servers.get(key)?.catch(() => undefined);
      if (known?.isAlive === true) return known;
      // Another caller may have started the next one while this one waited.
      const newer = servers.get(key);
      if (newer !== undefined && (await newer.catch(() => undefined)) !== known) return newer;
      const starting = startOpencodeServer({ program, needs, tools, host });
      servers.set(key, starting);
      const server = await starting;
      if (isStopped) await server.stop();
      return server;
    },
    async stopAll() {
      isStopped = true;
      await Promise.all(
        [...servers.values()].map((starting) => starting.then((server) => server.stop()).catch(() => {})),
      );
    },
  };
}
