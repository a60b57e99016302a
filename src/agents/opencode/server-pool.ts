// The servers of one client. Starting one takes seconds, so it is kept warm and shared by all sessions that can share
// it. What is fixed when a server starts sets sessions apart: whether a project is trusted, the sub-agents that are
// defined, our own tools. A run has one or two; a few idle ones are kept. In a sandbox a server may write
// to one work tree only, so each tree has its own.

import type { AgentTool } from "../agent-tool.ts";
import type { BackendHost } from "../process/backend-host.ts";
import { findOpencode } from "./find-opencode.ts";
import { startOpencodeServer, type OpencodeServer, type StartServerOptions } from "./opencode-server.ts";
import type { ServerNeeds } from "./server-config.ts";

export interface ServerPool {
  /** A server that fits; starts one if there is none or it has died. */
  get(needs: ServerNeeds & { readonly tools: readonly AgentTool[] }, cwd: string): Promise<OpencodeServer>;
  stopAll(): Promise<void>;
}

const maxIdle = 2;

export function createServerPool(host: BackendHost): ServerPool {
  const servers = new Map<string, Promise<OpencodeServer>>();
  const stopping = new Set<Promise<void> | undefined>();
  const toolIds = new Map<AgentTool, number>();
  /** Those without a session, the longest first. */
  const idle = new Set<string>();
  const stopped = new AbortController();

  const idOf = (tool: AgentTool): number => {
    const id = toolIds.get(tool) ?? toolIds.size;
    toolIds.set(tool, id);
    return id;
  };

  function start(key: string, options: Omit<StartServerOptions, "onEmpty" | "signal">): Promise<OpencodeServer> {
    const starting = startOpencodeServer({ ...options, onEmpty: () => rest(key), signal: stopped.signal }).then(
      async (server) => {
        // The client was closed meanwhile.
        if (stopped.signal.aborted) await server.stop();
        return server;
      },
    );
    servers.set(key, starting);
    starting.catch(() => servers.delete(key));
    return starting;
  }

  function rest(key: string): void {
    idle.add(key);
    for (const oldest of [...idle].slice(0, -maxIdle)) {
      idle.delete(oldest);
      const server = servers.get(oldest);
      servers.delete(oldest);
      const ending = server?.then((it) => it.stop()).finally(() => stopping.delete(ending));
      stopping.add(ending);
    }
  }

  return {
    async get({ tools, ...needs }, cwd) {
      const { path: program } = findOpencode(host, cwd);
      // Tools are functions: the same ones are the same objects.
      const root = host.sandbox?.rootOf(cwd) ?? null;
      const key = JSON.stringify([program, needs.isProjectTrusted, needs.subagents, tools.map(idOf), root]);
      idle.delete(key);
      const known = servers.get(key);
      const server = await known;
      if (server?.isAlive === true) return server;
      // The one there was has died. Another caller may have started the next one by now.
      if (servers.get(key) === known) servers.delete(key);
      return servers.get(key) ?? start(key, { program, needs, tools, host, worksIn: cwd });
    },
    async stopAll() {
      stopped.abort();
      const running = [...servers.values()].map((starting) => starting.then((server) => server.stop()).catch(() => {}));
      await Promise.all([...running, ...stopping]);
    },
  };
}
