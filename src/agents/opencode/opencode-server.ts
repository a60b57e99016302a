// One running `opencode serve`: started by us, never by the SDK's helper (which would hand it our whole environment),
// behind a password, in an empty folder, so that no `.env` or `bunfig.toml` of a project is read by its
// runtime. It serves any number of folders; folder.ts is one of them.

import type { Clock } from "../../lib/clock.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { makeTempFolder } from "../../lib/temp-folder.ts";
import type { AgentTool } from "../agent-tool.ts";
import { fieldsOf } from "../fields.ts";
import { programEnvironment, type BackendHost } from "../process/backend-host.ts";
import { requireVersion } from "../process/program-version.ts";
import { inSandbox } from "../process/sandbox/in-sandbox.ts";
import type { ProgramNeeds } from "../process/sandbox/program-sandbox.ts";
import { spawnProgram, type ProgramExit, type RunningProgram } from "../process/spawn-program.ts";
import { startToolServer } from "../tool-server.ts";
import { orLate, within } from "../within.ts";
import { textOf } from "./fields.ts";
import { install, minimumVersion } from "./find-opencode.ts";
import { createFolder, type Folder } from "./folder.ts";
import { createFolderApi, type FolderApi } from "./folder-api.ts";
import { opencodeNeeds } from "./opencode-needs.ts";
import { createHttpCall, readAnswer, type HttpCall } from "./http-call.ts";
import { serverEnvironment, type ServerNeeds } from "./server-config.ts";

export interface OpencodeServer {
  readonly version: string;
  readonly isAlive: boolean;
  /** Why a stream of it ended, when it has ended. */
  readonly exit: () => (ProgramExit & { readonly stderr: string }) | undefined;
  /** The folder it was started in: empty, for questions that are about no project. */
  readonly home: FolderApi;
  /** A project's folder, with its events. Every caller leaves it again. */
  enter(path: string): Promise<ServerConnection>;
  /** Ends everything it runs. Safe to call twice. */
  stop(): Promise<void>;
}

export interface ServerConnection extends Pick<Folder, "api" | "follow"> {
  readonly server: OpencodeServer;
  /** Of folders without a session a few are kept: to set one up again costs seconds of CPU. Safe to call twice. */
  leave(): Promise<void>;
}

export interface StartServerOptions {
  readonly program: string;
  readonly needs: ServerNeeds;
  readonly tools: readonly AgentTool[];
  readonly host: BackendHost;
  /** A folder that its sessions work in. With a sandbox, all of them work in that one. */
  readonly worksIn: string;
  /** The last session has left. */
  readonly onEmpty: () => void;
  /** Ends it while it starts: no caller waits for it any more. */
  readonly signal: AbortSignal;
}

/** More than any banner: a program that says so much without the one line that counts is another program. */
const maxStartChars = 65_536;
const startLimitMs = 90_000;
const healthLimitMs = 30_000;
const innerPort = 4096;
// Together less than the client waits for its end.
const stopGraceMs = 3000;
const disposeAllLimitMs = 3000;
/** Without a session, each holds some memory, and what the user has the server start for a project. */
const maxIdleFolders = 4;

export async function startOpencodeServer(options: StartServerOptions): Promise<OpencodeServer> {
  const { host, program: file } = options;
  const toolServer = options.tools.length === 0 ? undefined : await startToolServer(options.tools);
  const user = programEnvironment(host, {});
  const home = makeTempFolder("opencode", user["TMPDIR"]);
  const password = randomHex(24);
  const tidy = async (): Promise<void> => {
    removeFolder(home);
    await toolServer?.close();
  };
  let program: RunningProgram | undefined;
  const end = (): void => void program?.stop(stopGraceMs);
  options.signal.addEventListener("abort", end);
  try {
    const add = serverEnvironment({ needs: options.needs, user, folder: home, password, tools: toolServer });
    // In a separate network every port is free, and the port that leads there must be known.
    const listensOn = host.sandbox?.mode === "strict" && process.platform === "linux" ? innerPort : undefined;
    const plain = {
      file,
      args: ["serve", "--hostname=127.0.0.1", `--port=${listensOn ?? 0}`],
      cwd: home,
      folder: home,
      env: { ...user, ...add },
      name: "opencode serve",
      registry: host.registry,
      clock: host.clock,
      // What is on PATH may be a launcher that does not pass signals on.
      endsAsGroup: true,
    };
    const reaches = toolServer === undefined ? [] : [toolServer.port];
    const needs = (): ProgramNeeds => ({ ...opencodeNeeds(user), listensOn, reaches });
    const start = await inSandbox(host.sandbox, plain, options.worksIn, needs);
    program = await spawnProgram(start);
    if (options.signal.aborted) end();
    const inside = await orLate(listening(program, file), startLimitMs, host.clock, () =>
      unavailable(file, `it did not say within ${startLimitMs / 1000} s where it listens`),
    );
    const url = start.portOutside === undefined ? inside : `http://127.0.0.1:${await start.portOutside()}`;
    const headers = { authorization: `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}` };
    const call = createHttpCall({ url, headers, clock: host.clock });
    const version = await readVersion(call).catch((error: unknown) => {
      throw unavailable(file, messageOf(error));
    });
    requireVersion({ name: "OpenCode", path: file, version, minimum: minimumVersion, install });
    return createServer({
      program,
      url,
      headers,
      call,
      version,
      home,
      tidy,
      clock: host.clock,
      onEmpty: options.onEmpty,
    });
  } catch (error) {
    await program?.stop(stopGraceMs);
    await tidy();
    throw error;
  } finally {
    options.signal.removeEventListener("abort", end);
  }
}

function createServer(parts: {
  readonly program: RunningProgram;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly call: HttpCall;
  readonly version: string;
  readonly home: string;
  readonly tidy: () => Promise<void>;
  readonly clock: Clock;
  readonly onEmpty: () => void;
}): OpencodeServer {
  const { program, call, clock } = parts;
  interface Entry {
    readonly folder: Folder;
    users: number;
  }
  const folders = new Map<string, Entry>();
  /** Those without a session, the longest first. */
  const idle = new Set<string>();
  /** Folders that the server is ending. A session that opened in one meanwhile would lose its prompt. */
  const ending = new Map<string, Promise<void>>();
  let exit: ProgramExit | undefined;
  let stopping: Promise<void> | undefined;

  void program.exited.then((how) => {
    exit = how;
    for (const { folder } of folders.values()) folder.lose();
    // Nothing else would end what it left running.
    return stop();
  });

  async function leave(path: string, entry: Entry, isUsable: boolean): Promise<void> {
    if (--entry.users > 0 || folders.get(path) !== entry) return;
    idle.add(path);
    const surplus = isUsable ? [...idle].slice(0, -maxIdleFolders) : [path];
    const ended = Promise.all(surplus.map(endFolder));
    if (idle.size === folders.size) parts.onEmpty();
    await ended;
  }

  function endFolder(path: string): Promise<void> {
    const entry = folders.get(path);
    idle.delete(path);
    folders.delete(path);
    const ended = (entry?.folder.end(server.isAlive) ?? Promise.resolve(true)).then((isEnded) => {
      ending.delete(path);
      // What it is about to end there may be the next session's.
      if (!isEnded) void stop();
    });
    ending.set(path, ended);
    return ended;
  }

  /** Settled when nothing of the folder is being ended. */
  async function entryOf(path: string): Promise<Entry> {
    for (let busy = ending.get(path); busy !== undefined; busy = ending.get(path)) await busy;
    if (!server.isAlive)
      throw new AtomicError("AGENT_UNAVAILABLE", "The OpenCode server has ended. Try again.", { retryable: true });
    const { url, headers } = parts;
    const entry = folders.get(path) ?? {
      folder: createFolder({ path, url, headers, call, clock, onLost: () => void stop() }),
      users: 0,
    };
    folders.set(path, entry);
    idle.delete(path);
    entry.users++;
    return entry;
  }

  async function end(): Promise<void> {
    const open = [...folders.values()];
    folders.clear();
    idle.clear();
    // On shutdown it leaves the shells of its tools behind; disposing a folder ends them.
    const ends = open.map(({ folder }) => folder.end(exit === undefined));
    await within(Promise.all([...ends, ...ending.values()]), disposeAllLimitMs, clock);
    await program.stop(stopGraceMs);
    await parts.tidy();
  }

  function stop(): Promise<void> {
    return (stopping ??= end());
  }

  const server: OpencodeServer = {
    version: parts.version,
    get isAlive() {
      return exit === undefined && stopping === undefined;
    },
    exit: () => exit && { ...exit, stderr: program.stderr() },
    home: createFolderApi(call, parts.home),
    async enter(path) {
      const entry = await entryOf(path);
      let leaving: Promise<void> | undefined;
      const connection: ServerConnection = {
        server,
        api: entry.folder.api,
        follow: entry.folder.follow,
        leave: () => (leaving ??= leave(path, entry, true)),
      };
      await entry.folder.ready.catch(async (cause: unknown) => {
        await (leaving ??= leave(path, entry, false));
        throw new AtomicError(
          "AGENT_UNAVAILABLE",
          `The OpenCode server sends no events for ${path}: ${messageOf(cause)}. Try again.`,
          { cause, retryable: true },
        );
      });
      return connection;
    },
    stop,
  };
  return server;
}

/** Resolves with the address it prints; rejects when it ends instead, or says something else without end. */
function listening(program: RunningProgram, file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    program.stdout.setEncoding("utf8").on("data", (text: string) => {
      // What comes later is read and dropped, so that the program is not blocked.
      if (said.length > maxStartChars) return;
      said += text;
      const url = /listening on (http:\/\/[\w.:[\]-]+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
      else if (said.length > maxStartChars)
        reject(unavailable(file, `it says something else: ${JSON.stringify(said.trim().slice(0, 300))}`));
    });
    void program.exited.then(({ exitCode, signal }) => {
      const output = `${said}\n${program.stderr()}`.trim().slice(-1000);
      const how = signal ?? `exit code ${exitCode}`;
      reject(unavailable(file, `it ended with ${how}${output === "" ? "" : ` and said: ${JSON.stringify(output)}`}`));
    });
  });
}

async function readVersion(call: HttpCall): Promise<string> {
  const answer = await call({ method: "GET", path: "/global/health", limitMs: healthLimitMs });
  return readAnswer(answer, (value) => textOf(fieldsOf(value)?.["version"]), "GET /global/health");
}

function unavailable(file: string, problem: string): AtomicError {
  return new AtomicError(
    "AGENT_UNAVAILABLE",
    `"${file}" does not work: started as a server, ${problem}. Try "opencode serve" yourself, or install it again (${install}).`,
    { details: { path: file } },
  );
}
