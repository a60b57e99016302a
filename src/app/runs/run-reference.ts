// How a user names a run: by its id, by the start of it, or as @last. The result is an id; whether such a run exists
// is checked when it is read.

import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { RunReader } from "../runs-read.ts";

const fullId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const startOfId = /^[0-9a-f-]{1,35}$/;
const lastRun = "@last";
const maxNamed = 5;

/** Throws RUN_AMBIGUOUS and RUN_NOT_FOUND. A full id costs nothing. */
export async function runIdOf(
  reference: string,
  reader: () => Promise<Pick<RunReader, "ids" | "newest">>,
  projectDir: string,
): Promise<string> {
  if (fullId.test(reference)) return reference;
  const runs = await reader();
  if (reference === lastRun) {
    const newest = await runs.newest(projectDir, "any");
    if (newest !== undefined) return newest.view.id;
    throw new AtomicError(
      "RUN_NOT_FOUND",
      `There is no run of ${projectDir} yet, so ${lastRun} has nothing to refer to. \`atomic sessions\` lists all runs.`,
    );
  }
  const ids = await runs.ids();
  if (reference === "" || ids.includes(reference)) return reference;
  const [id, ...others] = ids.filter((each) => each.startsWith(reference));
  if (id === undefined && startOfId.test(reference))
    throw new AtomicError(
      "RUN_NOT_FOUND",
      `No run has an id that starts with "${reference}". \`atomic sessions\` lists them.`,
    );
  if (id === undefined) return reference;
  if (others.length === 0) return id;
  const named = [id, ...others].slice(0, maxNamed).join(", ");
  throw new AtomicError(
    "RUN_AMBIGUOUS",
    `${others.length + 1} runs start with "${safeLine(reference, 40)}": ${named}${others.length < maxNamed ? "" : ", …"}. Type more of the id.`,
    { details: { runs: [id, ...others] } },
  );
}

/** The shortest unique prefixes of these ids, all of one length. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  for (let length = 8; ; length++) {
    const starts = ids.map((id) => id.slice(0, length));
    if (new Set(starts).size === ids.length || starts.every((start, i) => start === ids[i]))
      return new Map(ids.map((id, i) => [id, starts[i]!]));
  }
}
