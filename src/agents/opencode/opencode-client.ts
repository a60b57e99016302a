// The OpenCode backend: sessions on servers of our own, spoken to over HTTP (docs/decisions/034).

import { AtomicError, messageOf } from "../../lib/errors.ts";
import { homeFolder } from "../../lib/home-folder.ts";
import { createBackendClient } from "../backend-client.ts";
import { capabilitiesWithout } from "../capabilities.ts";
import type { BackendSession } from "../backend-session.ts";
import type { AgentClient, BackendReport, OpenOptions } from "../port.ts";
import { backendHost, programEnvironment, type BackendOptions } from "../process/backend-host.ts";
import { programVersion, requireVersion } from "../process/program-version.ts";
import { findOpencode, install, minimumVersion } from "./find-opencode.ts";
import { modelList } from "./models.ts";
import { createOpencodeSession } from "./opencode-session.ts";
import type { OpencodeServer, ServerConnection } from "./opencode-server.ts";
import type { RetryLimits } from "./opencode-turn.ts";
import { refuseProjectSettings } from "./project-settings.ts";
import { createServerPool } from "./server-pool.ts";
import { permissionRules } from "./tool-permissions.ts";

export interface OpencodeClientOptions extends BackendOptions {
  /** How long OpenCode may try again by itself. Default: five times, and no single wait over a minute. */
  readonly retries?: Partial<RetryLimits> | undefined;
}

const kind = "opencode";
const defaultRetries: RetryLimits = { attempts: 5, waitMs: 60_000 };
/** As many prompts of a continued session as a reading of its state can bring up again. */
const rememberedMessages = 200;

export const opencodeCapabilities = capabilitiesWithout({
  modelServed: "it names the model that it asked, and does not pass on who answered",
  toolRules: "its permissions are written in another way; only rules for commands are translated",
});

export function createOpencodeClient({ retries, ...options }: OpencodeClientOptions = {}): AgentClient {
  const host = backendHost(options);
  const { clock, newId } = host;
  const pool = createServerPool(host);
  const plainServer = (): Promise<OpencodeServer> =>
    pool.get({ isProjectTrusted: false, subagents: [], tools: [] }, process.cwd());

  async function openSession(open: OpenOptions): Promise<BackendSession> {
    const connect = async (): Promise<ServerConnection> => {
      const needs = {
        isProjectTrusted: open.isProjectTrusted ?? false,
        subagents: open.subagents ?? [],
        tools: open.tools ?? [],
      };
      const server = await pool.get(needs, open.cwd);
      return server.enter(open.cwd).catch(async (error: unknown) => {
        // It was stopped while this waited, because it could not end the folder's last session.
        if (server.isAlive || !AtomicError.is(error, "AGENT_UNAVAILABLE")) throw error;
        return (await pool.get(needs, open.cwd)).enter(open.cwd);
      });
    };
    if (open.isProjectTrusted !== true) refuseProjectSettings(open.cwd, homeFolder(host.environment.user));
    const connection = await connect();
    try {
      const seenPrompts = new Set<string>();
      const id =
        open.resume === undefined
          ? await create(connection, open)
          : await resume(connection, open, open.resume, seenPrompts);
      return createOpencodeSession({
        id,
        open,
        connection,
        connect,
        seenPrompts,
        clock,
        retries: { ...defaultRetries, ...retries },
      });
    } catch (error) {
      await connection.leave();
      throw AtomicError.is(error, "AGENT_TURN_FAILED") ? unavailable(error) : error;
    }
  }

  async function check(): Promise<BackendReport> {
    let program: BackendReport["program"];
    try {
      const cwd = process.cwd();
      const found = findOpencode(host, cwd);
      program = { ...found, version: undefined };
      const env = programEnvironment(host, {});
      const version = await programVersion(found.path, { env, cwd: env["TMPDIR"] ?? "/" });
      program = { ...found, version };
      requireVersion({ name: "OpenCode", path: found.path, version, minimum: minimumVersion, install });
      const connected = await (await plainServer()).home.connectedProviders();
      if (connected.length > 0)
        return { kind, isUsable: true, program, login: "ok", notes: [`Providers: ${connected.join(", ")}.`] };
      const notes = ['No provider can be used. Log in with "opencode auth login", or set the key of one.'];
      return { kind, isUsable: false, program, login: "missing", notes };
    } catch (error) {
      return { kind, isUsable: false, program, login: "unknown", notes: [messageOf(error)] };
    }
  }

  return createBackendClient(
    {
      kind,
      label: "OpenCode",
      capabilities: opencodeCapabilities,
      openSession,
      models: async () => modelList(await (await plainServer()).home.providers()),
      check,
      shutDown: () => pool.stopAll(),
    },
    { clock, newId },
  );
}

/** A call that fails while a session is opened is not a failed turn. */
function unavailable(error: AtomicError): AtomicError {
  return new AtomicError("AGENT_UNAVAILABLE", error.message, { cause: error, retryable: error.retryable });
}

async function create(connection: ServerConnection, { agent }: OpenOptions): Promise<string> {
  // With a title of our own, OpenCode asks no model for one.
  const title = agent === undefined ? "Atomic" : `Atomic: ${agent.name}`;
  return connection.api.createSession(title, agent?.tools && permissionRules(agent.tools, agent.toolRules));
}

async function resume(
  connection: ServerConnection,
  { agent, cwd }: OpenOptions,
  id: string,
  seenPrompts: Set<string>,
): Promise<string> {
  const known = /^ses[\w-]*$/.test(id) ? await connection.api.session(id) : undefined;
  if (known === undefined)
    throw new AtomicError(
      "AGENT_SESSION_UNKNOWN",
      `OpenCode has no session ${JSON.stringify(id)} in ${cwd}. "opencode session list" shows those it has.`,
      { details: { session: id } },
    );
  // Rules can only be added. A session that has rules from an earlier agent continues as a copy without them.
  const resumed = agent?.tools === undefined && known.hasRules ? await connection.api.fork(id) : id;
  if (agent?.tools !== undefined)
    await connection.api.setPermission(resumed, permissionRules(agent.tools, agent.toolRules));
  for (const { info } of await connection.api.transcript(resumed, rememberedMessages))
    if (info.role === "user") seenPrompts.add(info.id);
  return resumed;
}
