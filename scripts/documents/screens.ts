// `screen` blocks show a frame of the terminal UI from a test: the rest of the fence's line is the end of the name of a
// snapshot. Empty rows are left out.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readBlocks } from "./blocks.ts";

const root = join(import.meta.dir, "../..");

function readSnapshots(): ReadonlyMap<string, readonly string[]> {
  const files = [...new Bun.Glob("src/tui/**/*.snap").scanSync({ cwd: root })];
  return new Map(
    files.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/^exports\[`(.*) 1`\] = `\n"([\s\S]*?)"\n`;$/gm)].map(
        ([, name = "", text = ""]) => [name, rowsOf(text)] as const,
      ),
    ),
  );
}

/** The page with every screen as its snapshot has it. Throws when there is no such snapshot. */
export function withScreens(page: string, snapshots = readSnapshots()): string {
  return readBlocks(page)
    .filter(({ language }) => language === "screen")
    .reduceRight((text, { info, start, end, line }) => {
      const rows = snapshots.get(info);
      if (rows === undefined) throw new Error(`line ${line}: no test draws "${info}".`);
      return `${text.slice(0, start)}${rows.join("\n")}\n${text.slice(end)}`;
    }, page);
}

function rowsOf(frame: string): readonly string[] {
  return frame
    .split("\n")
    .map((row) => row.trimEnd())
    .filter((row) => row !== "");
}
