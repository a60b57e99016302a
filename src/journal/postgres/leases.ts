// The leases of all runs that this process owns in one database. A run stays its owner's until the lease ends, by the
// database's clock; every append renews it, and here one statement renews those that append nothing. In between, one
// cheap query a second detects that an owner was replaced. None of it keeps the process alive.

import { AtomicError } from "../../lib/errors.ts";
import type { Row, PostgresValue } from "./postgres-client.ts";
import type { Doing } from "./postgres-failure.ts";

const lookEveryMs = 1000;

type Query = (doing: Doing, text: string, values: readonly PostgresValue[]) => Promise<readonly Row[]>;

export interface LeasedRun {
  /** The run's number, and the number of its owner. */
  readonly id: string;
  readonly fence: string;
  /** When the lease was last renewed, by `performance.now`. */
  renewedAt: number;
  lose(why: string): void;
}

const look = `SELECT r.id, r.fence FROM ~runs r
  JOIN unnest(string_to_array($1::text, ',')::bigint[], string_to_array($2::text, ',')::bigint[]) AS m(id, fence)
  ON r.id = m.id AND r.fence = m.fence WHERE r.is_owned`;

const renew = `UPDATE ~runs r SET lease_until = clock_timestamp() + $3::bigint * interval '1 ms'
  FROM unnest(string_to_array($1::text, ',')::bigint[], string_to_array($2::text, ',')::bigint[]) AS m(id, fence)
  WHERE r.id = m.id AND r.fence = m.fence AND r.is_owned RETURNING r.id, r.fence`;

export class Leases {
  readonly #query: Query;
  readonly #leaseMs: number;
  readonly #runs = new Set<LeasedRun>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isLooking = false;

  constructor(query: Query, leaseMs: number) {
    this.#query = query;
    this.#leaseMs = leaseMs;
  }

  add(run: LeasedRun): void {
    this.#runs.add(run);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.#keep(), Math.min(lookEveryMs, this.#leaseMs / 6));
    this.#timer.unref();
  }

  delete(run: LeasedRun): void {
    this.#runs.delete(run);
    if (this.#runs.size === 0) this.stop();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #keep(): Promise<void> {
    this.#giveUpLate();
    if (this.#isLooking || this.#runs.size === 0) return;
    this.#isLooking = true;
    const runs = [...this.#runs];
    const startedAt = performance.now();
    const isDue = runs.some(({ renewedAt }) => startedAt - renewedAt > this.#leaseMs / 3);
    const owners = [runs.map(({ id }) => id).join(","), runs.map(({ fence }) => fence).join(",")];
    try {
      const rows = isDue
        ? await this.#query("writing", renew, [...owners, String(this.#leaseMs)])
        : await this.#query("reading", look, owners);
      const kept = new Set(rows.map(({ id, fence }) => `${String(id)}.${String(fence)}`));
      for (const run of runs) {
        if (!this.#runs.has(run)) continue;
        if (!kept.has(`${run.id}.${run.fence}`)) run.lose("another one took over");
        else if (isDue) run.renewedAt = Math.max(run.renewedAt, startedAt);
      }
    } catch (error) {
      // The database can't be reached. Runs are given up when their leases end, not before.
      if (!AtomicError.is(error)) throw error;
    } finally {
      this.#isLooking = false;
    }
  }

  /** Gives up before the lease ends: what this process started must have stopped when the next owner begins. */
  #giveUpLate(): void {
    for (const run of this.#runs) {
      if (performance.now() - run.renewedAt > this.#leaseMs * 0.9)
        run.lose("the database could not be reached before its lease ended");
    }
  }
}
