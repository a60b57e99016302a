// The files that agents of a run wrote, from its transcript.

import { isAbsolute, normalize } from "node:path";
import type { TranscriptEntry } from "../../transcript/transcript-entry.ts";
import { treePrefix } from "./tree-prefix.ts";
import type { SessionView } from "./session-view.ts";

export interface FileLineCounts {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

/**
 * Files that tools of agents wrote, each once with all lines added and removed, in the order they were first written. A
 * file of the project is the same file in every work tree.
 */
export async function changedFiles(
  entries: AsyncIterable<TranscriptEntry>,
  run: Pick<SessionView, "id" | "cwd">,
): Promise<readonly FileLineCounts[]> {
  const files = new Map<string, FileLineCounts>();
  for await (const entry of entries) {
    if (entry.type !== "turn.finished") continue;
    for (const { path: written, added, removed } of entry.changes) {
      const path = pathInProject(written, run);
      const known = files.get(path);
      files.set(path, { path, added: added + (known?.added ?? 0), removed: removed + (known?.removed ?? 0) });
    }
  }
  return [...files.values()];
}

/** From the project's folder, whichever work tree the file is in; files elsewhere keep their full path. */
function pathInProject(path: string, { id, cwd }: Pick<SessionView, "id" | "cwd">): string {
  if (!isAbsolute(path)) return normalize(path);
  const folders = path.split("/");
  const tree = folders.findIndex((folder) => folder.startsWith(treePrefix(id)));
  if (tree !== -1 && tree < folders.length - 1) return folders.slice(tree + 1).join("/");
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
