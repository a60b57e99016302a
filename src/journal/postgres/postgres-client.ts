// The two PostgreSQL clients behind one small interface: Bun's own under Bun, the package `postgres` under Node. Neither
// is loaded before a store is used.
//
// Statements are sent without names: behind a pooler in transaction mode another process may see a named one.

import type { SQL } from "bun";
import { AtomicError, messageOf } from "../../lib/errors.ts";

export type PostgresValue = string | null;
export type Row = Readonly<Record<string, unknown>>;

export interface Client {
  /** Values are text; the statement says what each of them is (`$1::bigint`). Not boolean: the clients disagree there. */
  query(text: string, values: readonly PostgresValue[]): Promise<readonly Row[]>;
  /** Several statements without values, in one transaction. */
  script(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly url: string;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
}

export function openClient(options: ClientOptions): Promise<Client> {
  return process.versions["bun"] === undefined ? openOnNode(options) : openOnBun(options);
}

async function openOnBun({ url, maxConnections, connectTimeoutMs }: ClientOptions): Promise<Client> {
  // Not a literal: a bundler for Node would try to resolve it, and fail.
  const bun = (await import(["b", "un"].join(""))) as typeof import("bun");
  const sql: SQL = new bun.SQL({
    url,
    adapter: "postgres",
    max: maxConnections,
    prepare: false,
    connectionTimeout: connectTimeoutMs / 1000,
  });
  return {
    query: async (text, values) => (await sql.unsafe(text, [...values])) as readonly Row[],
    script: async (text) => void (await sql.unsafe(text)),
    close: () => sql.close({ timeout: 0 }),
  };
}

/** As much of the package `postgres` as is used here. Its own types would become part of ours. */
interface NodeSql {
  unsafe(
    text: string,
    values?: readonly PostgresValue[],
    options?: { readonly prepare: boolean },
  ): Promise<readonly Row[]>;
  end(options: { readonly timeout: number }): Promise<void>;
}

type ConnectOnNode = (url: string, options: Readonly<Record<string, unknown>>) => NodeSql;

async function openOnNode({ url, maxConnections, connectTimeoutMs }: ClientOptions): Promise<Client> {
  const connect = await importPackage();
  const { connect: connectSocket } = await import("node:net");
  const sockets = new IdleSockets();
  const sql = connect(url, {
    max: maxConnections,
    prepare: false,
    fetch_types: false,
    connect_timeout: connectTimeoutMs / 1000,
    max_lifetime: null,
    onnotice: () => undefined,
    socket: ({ host: [host], port: [port] }: { readonly host: readonly string[]; readonly port: readonly number[] }) =>
      new Promise((resolve, reject) => {
        const socket = connectSocket({ host, port: Number(port) });
        socket.once("error", reject);
        socket.once("connect", () => {
          socket.off("error", reject);
          sockets.add(socket);
          resolve(socket);
        });
      }),
  });
  return {
    query: (text, values) => sockets.during(() => sql.unsafe(text, values, { prepare: false })),
    script: (text) => sockets.during(async () => void (await sql.unsafe(text))),
    close: () => sql.end({ timeout: 1 }),
  };
}

interface Socket {
  ref(): unknown;
  unref(): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** Connections keep the process alive while a query is on its way, as Bun's do, and not when they are idle. */
class IdleSockets {
  readonly #sockets = new Set<Socket>();
  #queries = 0;

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    if (this.#queries === 0) socket.unref();
  }

  async during<T>(query: () => Promise<T>): Promise<T> {
    if (this.#queries++ === 0) for (const socket of this.#sockets) socket.ref();
    try {
      return await query();
    } finally {
      if (--this.#queries === 0) for (const socket of this.#sockets) socket.unref();
    }
  }
}

async function importPackage(): Promise<ConnectOnNode> {
  // Not a literal: it is an optional peer dependency, and a bundler would require it.
  const name = ["post", "gres"].join("");
  try {
    return ((await import(name)) as { readonly default: ConnectOnNode }).default;
  } catch (cause) {
    throw new AtomicError(
      "POSTGRES_UNAVAILABLE",
      `Runs can't be kept in PostgreSQL on Node ${process.versions.node}: the package "postgres" can't be loaded ` +
        `(${messageOf(cause)}). Install it beside this one, version 3 (npm install postgres@3), or use Bun, which needs none.`,
      { cause, details: { node: process.versions.node } },
    );
  }
}
