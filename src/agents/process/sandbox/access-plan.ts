// The access of a sandboxed program to each path: an ordered list in which a later entry overrides an earlier one
// that contains it. Pure; every path is absolute and real.
//
// A folder that only contains a protected one could be renamed, and another put in its place. So every folder between a
// writable one and a protected one inside it becomes a separate entry, and no entry can be moved: on Linux it is a mount, and on macOS a rule forbids it.

import { dirname } from "node:path";
import { isInside } from "../../../lib/real-path.ts";

export type Access = "read" | "write";

export interface AccessEntry {
  readonly path: string;
  readonly access: Access;
}

export interface AccessRequest {
  readonly write: readonly string[];
  /** Read-only, also inside what may be written. */
  readonly read: readonly string[];
}

export function planAccess({ write, read }: AccessRequest): readonly AccessEntry[] {
  const entries = new Map<string, Access>();
  for (const path of write) entries.set(path, "write");
  for (const path of read) entries.set(path, "read");
  for (const path of [...entries.keys()])
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
      if (!entries.has(folder) && accessOf(entries, folder) === "write") entries.set(folder, "write");
  return [...entries].map(([path, access]) => ({ path, access })).sort((a, b) => depthOf(a.path) - depthOf(b.path));
}

/** The access of the innermost entry around a path; undefined if there is none. */
function accessOf(entries: ReadonlyMap<string, Access>, path: string): Access | undefined {
  let inner: string | undefined;
  for (const entry of entries.keys())
    if (isInside(path, entry) && (inner === undefined || entry.length > inner.length)) inner = entry;
  return inner === undefined ? undefined : entries.get(inner);
}

function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}
