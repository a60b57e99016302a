// One database as this process uses it: a pool of connections, and the leases of the runs that the process owns. Stores
// over the same database share one, so that one statement renews all leases. Closed when the last store is.
//
// Nothing is read or written before the database's format was checked, once per process: what a later version wrote may
// mean something else.

import type { AtomicError } from "../../lib/errors.ts";
import type { DatabaseAddress } from "./database-address.ts";
import { type Client, openClient, type Row, type PostgresValue } from "./postgres-client.ts";
import { type Doing, isOtherFormat, translatePostgresFailure } from "./postgres-failure.ts";
import { Leases } from "./leases.ts";
import { checkFormat, formatSql, schemaScript } from "./schema.ts";

const maxConnections = 8;
const connectTimeoutMs = 10_000;

export interface SharedDatabase {
  readonly database: Database;
  /** Safe to call twice. */
  release(): Promise<void>;
}

interface Shared {
  readonly database: Database;
  users: number;
}

const shared = new Map<string, Shared>();

export function shareDatabase(address: DatabaseAddress, leaseMs: number): SharedDatabase {
  const key = JSON.stringify([address.url, address.schema, leaseMs]);
  const entry = shared.get(key) ?? { database: new Database(address, leaseMs), users: 0 };
  shared.set(key, entry);
  entry.users++;
  let isReleased = false;
  return {
    database: entry.database,
    async release() {
      if (isReleased) return;
      isReleased = true;
      if (--entry.users > 0) return;
      shared.delete(key);
      await entry.database.close();
    },
  };
}

export class Database {
  readonly address: DatabaseAddress;
  readonly leaseMs: number;
  readonly leases: Leases;
  #client: Promise<Client> | undefined;
  #isFormatKnown = false;

  constructor(address: DatabaseAddress, leaseMs: number) {
    this.address = address;
    this.leaseMs = leaseMs;
    this.leases = new Leases((doing, text, values) => this.query(doing, text, values), leaseMs);
  }

  /** `~` in the text stands for the schema. */
  async query(doing: Doing, text: string, values: readonly PostgresValue[] = []): Promise<readonly Row[]> {
    if (!this.#isFormatKnown) await this.checkFormat(doing);
    return this.#send(doing, text, values);
  }

  /** Throws JOURNAL_NEWER for a database of a later version. */
  async checkFormat(doing: Doing = "reading"): Promise<void> {
    const [row] = await this.#send(doing, formatSql);
    checkFormat(row?.["format"] ?? 0, this.address.shown);
    this.#isFormatKnown = true;
  }

  /** Creates missing tables. */
  async prepare(): Promise<void> {
    try {
      await (await this.#connect()).script(schemaScript(this.address.schema));
    } catch (error) {
      if (isOtherFormat(error)) await this.checkFormat("writing");
      throw translatePostgresFailure(error, "writing", this.address);
    }
  }

  async #send(doing: Doing, text: string, values: readonly PostgresValue[] = []): Promise<readonly Row[]> {
    try {
      const client = await this.#connect();
      const answer = client.query(text.replaceAll("~", `${this.address.schema}.`), values);
      return await answered(answer, this.leaseMs / 2);
    } catch (error) {
      throw translatePostgresFailure(error, doing, this.address);
    }
  }

  /** Retries transient failures for as long as a lease lasts. */
  async withRetries<T>(body: () => Promise<T>, isOver: () => boolean = () => false): Promise<T> {
    const end = performance.now() + this.leaseMs;
    for (let tries = 1; ; tries++) {
      try {
        return await body();
      } catch (error) {
        if (!(error as Partial<AtomicError>).retryable || performance.now() > end || isOver()) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.min(50 * tries, 500)));
      }
    }
  }

  async close(): Promise<void> {
    this.leases.stop();
    await (await this.#client)?.close();
  }

  #connect(): Promise<Client> {
    this.#client ??= openClient({ url: this.address.url, maxConnections, connectTimeoutMs });
    return this.#client;
  }
}

/**
 * A network that was cut reports nothing, and a query sent into it would wait for many minutes. So a query times out
 * before the lease ends, and is retried on another connection.
 */
async function answered<T>(answer: Promise<T>, withinMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${Math.round(withinMs / 1000)} s`)), withinMs);
    timer.unref();
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
