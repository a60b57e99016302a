// The patches of `apply_patch`, the write tool of several agents: one text that adds, updates, moves and deletes files.

/** A hunk, with the lines around the change. A file that is deleted has an empty one. */
export interface PatchHunk {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const fileHeader = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/;
const moveHeader = /^\*\*\* Move to: (.+)$/;

/** Empty for a text that is not a patch. What a clipped patch has lost is left out. */
export function parsePatch(text: string): readonly PatchHunk[] {
  // Nearly all texts end here.
  if (!text.includes("*** Begin Patch")) return [];
  const hunks: { path: string; before: string; after: string }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const path = fileHeader.exec(line)?.[1]?.trim();
    if (path !== undefined) {
      hunks.push({ path, before: "", after: "" });
      continue;
    }
    let hunk = hunks.at(-1);
    if (hunk === undefined) continue;
    // A file that is moved goes by the name that it has afterwards.
    hunk.path = moveHeader.exec(line)?.[1]?.trim() ?? hunk.path;
    if (line.startsWith("@@") && hunk.before + hunk.after !== "")
      hunks.push((hunk = { path: hunk.path, before: "", after: "" }));
    const isContext = line.startsWith(" ");
    if (isContext || line.startsWith("-")) hunk.before += `${line.slice(1)}\n`;
    if (isContext || line.startsWith("+")) hunk.after += `${line.slice(1)}\n`;
  }
  return hunks;
}
