// The sandbox of a run: decides what each program may write and reach, and wraps its command line. One for a run; the
// programs in it have nothing in common but the rules. What may be written:
// - the folder that the agent works in: a task's work tree, or the project, with what git needs of its repository;
// - temporary files, in a private folder of the program that is removed after it;
// - the agent's own state, but not the settings that start something in the user's next session;
// - caches of package managers, and what the setting sandbox.write names.
// The records of runs, trust and settings stay read-only, wherever they are.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { isSystemError } from "../../../lib/atomic-file.ts";
import { AtomicError } from "../../../lib/errors.ts";
import { atomicHome, homeFolder } from "../../../lib/home-folder.ts";
import { isInside, realOrSame } from "../../../lib/real-path.ts";
import { removeFolder } from "../../../lib/remove-folder.ts";
import { makeTempFolder } from "../../../lib/temp-folder.ts";
import { planAccess, type AccessEntry } from "./access-plan.ts";
import { isLoopback, parseHostRule, type HostRule } from "./allow-list.ts";
import { bubblewrapArgs, neededOfRun, tempFolders } from "./bubblewrap.ts";
import { checkSandbox, type SandboxTool } from "./check-sandbox.ts";
import { openGateway, openLoopbackProxy } from "./gateway.ts";
import { gitAccess } from "./git-access.ts";
import { socketsToCover, withoutSockets } from "./host-sockets.ts";
import { innerProxyPort, withForwards } from "./inner-forwarder.ts";
import { packageCaches } from "./package-caches.ts";
import type { OwnSettings, PlainStart, ProgramNeeds, ProgramSandbox, SandboxedStart } from "./program-sandbox.ts";
import { seatbeltProfile } from "./seatbelt.ts";

export interface SandboxOptions {
  readonly mode: ProgramSandbox["mode"];
  /** The folder that agents work in. */
  readonly cwd: string;
  /** The user's; default: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** A folder that holds work trees, one in each folder; a run names its own with `useTrees`. */
  readonly treesDir?: string | undefined;
  /** Folders that are read-only also inside the project; default: Atomic's own home. */
  readonly records?: readonly string[] | undefined;
  /** More folders that may be written; `auto`, the default, stands for the caches of package managers. */
  readonly write?: readonly string[] | undefined;
  /** More hosts that may be reached in strict mode. */
  readonly hosts?: readonly string[] | undefined;
}

/**
 * Throws SANDBOX_UNAVAILABLE where no sandbox can be created: nothing ever runs without the sandbox that was requested.
 */
export async function createSandbox(options: SandboxOptions): Promise<ProgramSandbox> {
  const { mode, cwd: worksAt, environment = process.env, write = ["auto"], hosts = [] } = options;
  const { records = [atomicHome(environment)] } = options;
  const check = await checkSandbox(mode, { environment, cwd: worksAt });
  if (check.problem !== undefined)
    throw new AtomicError("SANDBOX_UNAVAILABLE", `--sandbox ${mode} can't be used: ${check.problem}`, {
      details: { mode },
    });
  const rules = hosts.map((written) => requireRule(written));
  const home = realOrSame(homeFolder(environment));
  const project = projectRoot(realOrSame(worksAt), home);
  // Looked for once: programs on PATH decide which caches there are.
  const extra = write.flatMap((written) => {
    if (written === "none") return [];
    if (written !== "auto") return [requireFolder(written, home)];
    return packageCaches(home, environment).flatMap((path) => existing(made(`${path}/`)));
  });
  const folders = new Set<string>();
  const treesDirs = new Set(options.treesDir === undefined ? [] : [options.treesDir]);
  const { tool } = check;

  function rootOf(cwd: string): string {
    for (const trees of treesDirs) {
      const dir = [trees, realOrSame(trees)].find((folder) => isInside(cwd, folder));
      // Named, not looked up: an agent may have put a link into its own tree, not in the tree's place.
      const name = dir === undefined ? "" : (relative(dir, cwd).split("/")[0] ?? "");
      if (name !== "") return join(realOrSame(trees), name);
    }
    return project;
  }

  async function wrap(start: PlainStart, worksIn: string, needs: ProgramNeeds): Promise<SandboxedStart> {
    const root = rootOf(worksIn);
    const folder = makeTempFolder("sandbox");
    folders.add(folder);
    const temp = join(folder, "tmp");
    mkdirSync(temp, { mode: 0o700 });
    const git = gitAccess(root);
    const state = needs.state.map((path) => made(path)).filter((path) => existsSync(path));
    const settings = (needs.settings ?? []).map(madeSettings).filter((path) => existsSync(path));
    const entries = planAccess({
      write: [root, ...git.write, ...state, ...extra, ...real([start.folder])],
      read: [...git.read, ...settings, ...real(records)].filter((path) => existsSync(path)),
    });
    const network = mode === "strict" ? networkOf(rules, needs) : undefined;
    const request = { start, entries, temp, folder, network, needs };
    const wrapped = tool.name === "bubblewrap" ? await inBubblewrap(tool, request) : await inSeatbelt(tool, request);
    return {
      ...wrapped,
      release() {
        wrapped.release();
        folders.delete(folder);
        removeQuietly(folder);
      },
    };
  }

  return {
    mode,
    rootOf,
    useTrees: (dir) => void treesDirs.add(dir),
    wrap,
    async close() {
      for (const folder of folders) removeQuietly(folder);
    },
  };

  function networkOf(own: readonly HostRule[], { hosts, reaches = [] }: ProgramNeeds): Network {
    const all = [...own, ...hosts.flatMap((written) => parseHostRule(written) ?? [])];
    const local = all.flatMap(({ host, port }) => (isLoopback(host) && port !== undefined ? [port] : []));
    return { rules: all, ports: [...new Set([...reaches, ...local])], upstream: upstreamOf(environment) };
  }
}

interface Network {
  readonly rules: readonly HostRule[];
  /** Ports of this machine's loopback that may be reached. */
  readonly ports: readonly number[];
  /** The user's own proxy. */
  readonly upstream: string | undefined;
}

interface WrapRequest {
  readonly start: PlainStart;
  readonly entries: readonly AccessEntry[];
  readonly temp: string;
  /** For what the two sides of the sandbox have in common. */
  readonly folder: string;
  readonly network: Network | undefined;
  readonly needs: ProgramNeeds;
}

async function inBubblewrap(tool: SandboxTool, request: WrapRequest): Promise<SandboxedStart> {
  const { start, temp, network, needs } = request;
  const net = join(request.folder, "net");
  const { listensOn } = needs;
  const gateway = network && (await openGateway(net, network.ports, network));
  const entries: readonly AccessEntry[] =
    network === undefined ? request.entries : [...request.entries, { path: realOrSame(net), access: "write" }];
  const program = [start.file, ...start.args];
  const forwards = { folder: realOrSame(net), reaches: network?.ports ?? [], listensOn };
  const command = network === undefined ? program : withForwards(program, forwards, process.execPath);
  const hidden = ["/run"];
  const replaced = [...tempFolders, ...hidden];
  const needed = [start.file, start.cwd, process.execPath, ...entries.map(({ path }) => path)];
  const onPath = (start.env["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  const home = start.env["HOME"] ?? "";
  const shown = shownIn(replaced, [...needed, ...onPath, ...(home === "" ? [] : [home])]);
  const plan = {
    entries,
    temp,
    shown: [...neededOfRun.filter((folder) => existsSync(folder)), ...shown],
    hidden,
    sockets: socketsToCover({ hidden: replaced, shown, own: writable(entries) }),
    hasOwnNetwork: network !== undefined,
    cwd: start.cwd,
  };
  return {
    ...start,
    file: tool.path,
    args: bubblewrapArgs(plan, command),
    env: innerEnvironment(start.env, "/tmp", network === undefined ? undefined : innerProxyPort),
    isWrapped: true,
    portOutside: gateway === undefined || listensOn === undefined ? undefined : () => gateway.portTo(listensOn),
    release: () => gateway?.close(),
  };
}

async function inSeatbelt(tool: SandboxTool, request: WrapRequest): Promise<SandboxedStart> {
  const { start, entries, network } = request;
  const temp = realOrSame(request.temp);
  const proxy = network && (await openLoopbackProxy(network));
  const ports = proxy && network && [proxy.port, ...network.ports];
  return {
    ...start,
    file: tool.path,
    args: ["-p", seatbeltProfile({ entries, temp, ports }), start.file, ...start.args],
    env: innerEnvironment(start.env, temp, proxy?.port),
    // It becomes the program.
    isWrapped: false,
    release: () => proxy?.close(),
  };
}

/** Programs don't know the sandbox: the variables they read point them to its proxy and folders. */
function innerEnvironment(
  environment: PlainStart["env"],
  temp: string,
  proxyPort: number | undefined,
): Record<string, string> {
  const proxy = `http://127.0.0.1:${proxyPort}`;
  const loopback = "localhost,127.0.0.1,::1";
  const own = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const kept = Object.entries(withoutSockets(environment)).filter(
    ([name]) => proxyPort === undefined || !own.includes(name),
  );
  return {
    ...Object.fromEntries(kept),
    TMPDIR: temp,
    CLAUDE_CODE_TMPDIR: temp,
    // Read by programs that refuse to run tools as root where nothing contains them.
    IS_SANDBOX: "1",
    ...(proxyPort !== undefined && {
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      http_proxy: proxy,
      https_proxy: proxy,
      NO_PROXY: loopback,
      no_proxy: loopback,
      NODE_USE_ENV_PROXY: "1",
    }),
  };
}

/** The first folder below a replaced one that leads to something that is needed. */
function shownIn(replaced: readonly string[], needed: readonly string[]): readonly string[] {
  const shown = needed.flatMap((path) => {
    const parent = replaced.find((folder) => isInside(realOrSame(path), folder));
    const name =
      parent === undefined
        ? undefined
        : realOrSame(path)
            .slice(parent.length + 1)
            .split("/")[0];
    return parent === undefined || name === undefined || name === "" ? [] : [join(parent, name)];
  });
  return [...new Set(shown)].filter((path) => existsSync(path));
}

function writable(entries: readonly AccessEntry[]): readonly string[] {
  return entries.flatMap(({ path, access }) => (access === "write" ? [path] : []));
}

/** The repository around the folder, unless that is the home folder itself or more. */
function projectRoot(cwd: string, home: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (isInside(home, folder)) return cwd;
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return cwd;
  }
}

function real(paths: readonly (string | undefined)[]): readonly string[] {
  return paths.flatMap((path) => (path === undefined ? [] : [realOrSame(path)]));
}

/** The real path; a folder, with a `/` at its end, is made. One that can't be made is not there. */
function made(path: string): string {
  if (path.endsWith("/"))
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
    }
  return realOrSame(path.replace(/\/+$/, ""));
}

/** What does not exist could be made by the program, and would count in the user's next session. */
function madeSettings({ path, empty }: OwnSettings): string {
  if (path.endsWith("/")) return made(path);
  try {
    if (empty !== undefined && existsSync(dirname(path))) writeFileSync(path, empty, { flag: "wx", mode: 0o600 });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
  }
  return realOrSame(path);
}

function existing(path: string): readonly string[] {
  return existsSync(path) ? [path] : [];
}

function requireFolder(written: string, home: string): string {
  const path = written.replace(/^~(?=\/|$)/, home);
  const folder = isAbsolute(path) ? made(`${path}/`) : path;
  if (isAbsolute(path) && existsSync(folder)) return folder;
  const problem = isAbsolute(path) ? "is not there and can't be made" : "must be an absolute path, or start with ~/";
  throw new AtomicError("USAGE", `sandbox.write: "${written}" ${problem}.`);
}

function requireRule(written: string): HostRule {
  const rule = parseHostRule(written);
  if (rule !== undefined) return rule;
  throw new AtomicError(
    "USAGE",
    `sandbox.hosts: "${written}" is not a host. Write example.com, *.example.com or example.com:8443.`,
  );
}

function upstreamOf(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const url = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].map((name) => environment[name]).find(Boolean);
  return url !== undefined && URL.canParse(url) && new URL(url).protocol === "http:" ? url : undefined;
}

function removeQuietly(folder: string): void {
  try {
    removeFolder(folder);
  } catch (thrown) {
    // Something in it was made unreadable. The next start sweeps it.
    if (!isSystemError(thrown)) throw thrown;
  }
}
