// Reads the records of processes that process-registry.ts writes. A record says which processes may be ended, so it is
// believed only when it is a plain file of this user's, in a folder of this user's. Whether the run that it belongs to is
// the user's own is for the caller to know.

import { lstatSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";
import { parseProcessIdentity, type ProcessIdentity } from "../../lib/process-identity.ts";
import { checkShape, flag, list, object, oneOf, optional, type Shape, text } from "../../lib/shape.ts";
import type { HostRecord } from "./host-record.ts";

const identity: Shape<ProcessIdentity> = (value, faults, path) => {
  const parsed = parseProcessIdentity(value);
  if (parsed === undefined) faults.push({ path, message: "not a process" });
  return parsed as ProcessIdentity;
};
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const record: Shape<HostRecord> = object({
  version: oneOf([1]),
  host: identity,
  children: list(
    object({ mark: text({ pattern: uuid }), name: text(), isLeader: flag(), identity: optional(identity) }),
  ),
});

/** What can't be looked at holds no records: none was ever there, or it is another user's. */
const unreadable: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"]);

export function recordFiles(folder: string): readonly string[] {
  return (
    unlessUnreadable(() => {
      const found = lstatSync(folder);
      if (!found.isDirectory() || !isOwn(found)) return [];
      return readdirSync(folder)
        .filter((name) => /^[0-9a-f-]{36}\.json$/.test(name))
        .map((name) => join(folder, name));
    }) ?? []
  );
}

/** Undefined for one that can't be read or believed: it is left for a user to look at. */
export function readProcessRecord(file: string): HostRecord | undefined {
  const written = unlessUnreadable(() => {
    const found = lstatSync(file);
    return found.isFile() && isOwn(found) ? readFileSync(file, "utf8") : undefined;
  });
  const checked = written === undefined ? undefined : checkShape(record, parsed(written));
  return checked !== undefined && "value" in checked ? checked.value : undefined;
}

/** Another user could have written anything there. On systems without user ids every file counts as own. */
function isOwn({ uid }: Pick<Stats, "uid">): boolean {
  const user = process.getuid?.();
  return user === undefined || uid === user;
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (unreadable.has(systemCode(thrown) ?? "")) return undefined;
    throw thrown;
  }
}
