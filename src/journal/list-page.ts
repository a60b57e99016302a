// One page of a list of runs, for stores that have all of them at hand: filter, order, cursor, limit.

import { AtomicError } from "../lib/errors.ts";
import type { ListOptions, RunInfo, RunListing } from "./port.ts";

/** A position in the list: after this run, whose last append was at this time. */
interface Cursor {
  readonly updatedAt: number;
  readonly run: string;
}

export function pageOf(all: readonly RunInfo[], options: ListOptions = {}): RunListing {
  const { limit = Number.POSITIVE_INFINITY } = options;
  const after = options.cursor === undefined ? undefined : parseCursor(options.cursor);
  const wanted = all
    .filter((info) => isWanted(info, options) && (after === undefined || compare(after, info) < 0))
    .toSorted(compare);
  return listingOf(wanted.slice(0, limit), wanted.length > limit);
}

/** `hasMore`: there are runs after these. */
export function listingOf(runs: readonly RunInfo[], hasMore: boolean): RunListing {
  const last = runs.at(-1);
  return { runs, next: hasMore && last !== undefined ? `${last.updatedAt}.${last.run}` : undefined };
}

export function parseCursor(cursor: string): Cursor {
  const [, updatedAt, run] = /^(\d{1,16})\.(.+)$/.exec(cursor) ?? [];
  if (updatedAt !== undefined && run !== undefined) return { updatedAt: Number(updatedAt), run };
  throw new AtomicError("USAGE", `${JSON.stringify(cursor.slice(0, 80))} is not a cursor of a list of runs.`);
}

function isWanted({ status, dueAt, owner }: RunInfo, options: ListOptions): boolean {
  if (options.isOwned === true && owner === "none") return false;
  if (options.status !== undefined && status !== undefined && !options.status.includes(status)) return false;
  return options.dueBy === undefined || (dueAt !== undefined && dueAt <= options.dueBy);
}

/** The most recently appended run comes first. */
function compare(a: Cursor, b: Cursor): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
  return a.run < b.run ? -1 : a.run > b.run ? 1 : 0;
}
