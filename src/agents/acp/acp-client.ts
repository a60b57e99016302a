// The backend `acp:<command>`: any program that speaks the Agent Client Protocol on its standard input and output. It
// is started when a session is opened, and what it can do is known from then on.

import { setMaxListeners } from "node:events";
import { tmpdir } from "node:os";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { createBackendClient } from "../backend-client.ts";
import type { BackendSession } from "../backend-session.ts";
import { fieldsIn, textIn } from "../fields.ts";
import type { AgentClient, BackendReport, ModelInfo, OpenOptions } from "../port.ts";
import { backendHost, type BackendOptions } from "../process/backend-host.ts";
import { findProgram, type FoundProgram } from "../process/find-program.ts";
import { createAcpCapabilities } from "./acp-capabilities.ts";
import { startAcpConnection } from "./acp-connection.ts";
import { openAcpSession } from "./acp-session.ts";
import { parseCommand } from "./parse-command.ts";

/** `command`: what is behind `acp:`: a program, by name or absolute path, and its arguments. */
export function createAcpClient(command: string, options: BackendOptions = {}): AgentClient {
  const host = backendHost(options);
  const kind = `acp:${command}`;
  const capabilities = createAcpCapabilities();
  const closed = new AbortController();
  // Each program that runs listens to it until it ends; Node takes more than ten for a leak.
  setMaxListeners(0, closed.signal);
  const opening = new Set<Promise<BackendSession>>();
  let models: readonly ModelInfo[] | undefined;

  function find(cwd: string): FoundProgram & { readonly args: readonly string[] } {
    const { file, args } = parseCommand(command);
    const found = findProgram({
      name: file,
      setting: file.includes("/") || file.includes("\\") ? file : undefined,
      searchPath: host.environment.user["PATH"],
      cwd,
      install: "see the documentation of the agent",
    });
    return { ...found, args };
  }

  async function openSession(open: OpenOptions): Promise<BackendSession> {
    if (open.isProjectTrusted !== true)
      throw new AtomicError(
        "AGENT_NEEDS_TRUST",
        `"${kind}" reads a project's settings as it likes, and the protocol has no way to prevent it. Trust the project ${open.cwd}, or use another agent.`,
        { details: { agent: kind } },
      );
    return openAnywhere(open);
  }

  function openAnywhere(open: OpenOptions): Promise<BackendSession> {
    const { path, args } = find(open.cwd);
    const backendSession = openAcpSession({
      host,
      kind,
      file: path,
      args,
      open,
      capabilities,
      onSettings(settings) {
        models = settings.models;
        capabilities.opened(settings);
      },
      signal: closed.signal,
    });
    opening.add(backendSession);
    const forget = (): void => void opening.delete(backendSession);
    backendSession.then(forget, forget);
    return backendSession;
  }

  async function check(): Promise<BackendReport> {
    let program: BackendReport["program"];
    try {
      const { args, ...found } = find(process.cwd());
      program = { ...found, version: undefined };
      const connection = await startAcpConnection({
        host,
        kind,
        file: found.path,
        args,
        cwd: tmpdir(),
        onNotification: () => {},
        onRequest: () => undefined,
        onNonsense: () => {},
        signal: closed.signal,
      });
      await connection.stop(2000);
      capabilities.initialized(connection.agent);
      const agent = fieldsIn(connection.agent, "agentInfo");
      const name = textIn(agent, "title") ?? textIn(agent, "name");
      program = { ...found, version: textIn(agent, "version") };
      const notes = name === undefined ? [] : [`It says that it is ${name}.`];
      return { kind, isUsable: true, program, login: "unknown", notes };
    } catch (thrown) {
      return { kind, isUsable: false, program, login: "unknown", notes: [messageOf(thrown)] };
    }
  }

  return createBackendClient(
    {
      kind,
      label: kind,
      get capabilities() {
        return capabilities.current;
      },
      openSession,
      async models() {
        // Agents list them when a session is opened: in a folder without a project, if none was opened yet.
        if (models === undefined) await (await openAnywhere({ cwd: tmpdir() })).close();
        return models ?? [];
      },
      check,
      // Each session has ended its own process; only starts that are no longer awaited remain.
      async shutDown() {
        closed.abort();
        await Promise.allSettled(opening);
      },
    },
    host,
  );
}
