// The files that agents of a run wrote: counted while it runs, or read from its transcript.

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
export class ChangedFiles {
  readonly #run: Pick<SessionView, "id" | "cwd">;
  readonly #files = new Map<string, FileLineCounts>();

  constructor(run: Pick<SessionView, "id" | "cwd">) {
    this.#run = run;
  }

  /** What a turn changed. */
  add(changes: readonly FileLineCounts[]): void {
    for (const { path: written, added, removed } of changes) {
      const path = pathInProject(written, this.#run);
      const known = this.#files.get(path);
      this.#files.set(path, { path, added: added + (known?.added ?? 0), removed: removed + (known?.removed ?? 0) });
    }
  }

  list(): readonly FileLineCounts[] {
    return [...this.#files.values()];
  }
}

export async function readChangedFiles(
  entries: AsyncIterable<TranscriptEntry>,
  run: Pick<SessionView, "id" | "cwd">,
): Promise<readonly FileLineCounts[]> {
  const files = new ChangedFiles(run);
  for await (const entry of entries) if (entry.type === "turn.finished") files.add(entry.changes);
  return files.list();
}

/** From the project's folder, whichever work tree the file is in; files elsewhere keep their full path. */
function pathInProject(path: string, { id, cwd }: Pick<SessionView, "id" | "cwd">): string {
  if (!isAbsolute(path)) return normalize(path);
  const folders = path.split("/");
  const tree = folders.findIndex((folder) => folder.startsWith(treePrefix(id)));
  if (tree !== -1 && tree < folders.length - 1) return folders.slice(tree + 1).join("/");
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
