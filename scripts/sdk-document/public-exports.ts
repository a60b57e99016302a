// What each public subpath exports, read from src/public, whose files only re-export.

import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

export interface PublicExport {
  readonly name: string;
  readonly isType: boolean;
  /** Where it is declared, below src/. */
  readonly file: string;
  /** The subpaths that export it: `atomic/workflows`. */
  readonly subpaths: readonly string[];
}

const source = join(import.meta.dir, "../../src");

/** The file of each subpath, in the order of the reference. */
export const subpathFiles: Readonly<Record<string, string>> = {
  "atomic/workflows": "workflows.ts",
  "atomic/workflows/graph": "graph-with-files.ts",
  "atomic/workflows/sqlite": "sqlite.ts",
  "atomic/workflows/postgres": "postgres.ts",
  "atomic/agents": "agents.ts",
  "atomic/testing": "testing.ts",
  "atomic/types": "types.ts",
};

export function publicExports(): readonly PublicExport[] {
  const found = new Map<string, { -readonly [K in keyof PublicExport]: PublicExport[K] }>();
  for (const [subpath, file] of Object.entries(subpathFiles)) {
    for (const each of exportsOf(join(source, "public", file))) {
      const known = found.get(each.name);
      if (known === undefined) found.set(each.name, { ...each, subpaths: [subpath] });
      else {
        if (known.file !== each.file)
          throw new Error(`"${each.name}" is exported from ${known.file} and ${each.file}.`);
        known.subpaths = [...known.subpaths, subpath];
        // A class that one subpath exports as a type only is still a class.
        known.isType = known.isType && each.isType;
      }
    }
  }
  return [...found.values()];
}

const starExport = /^export \* from "(\.[^"]+)";$/gm;
const namedExport = /^export (type )?\{([^}]*)\} from "(\.[^"]+)";$/gm;

function exportsOf(path: string): readonly Omit<PublicExport, "subpaths">[] {
  const text = readFileSync(path, "utf8");
  const stars = [...text.matchAll(starExport)].flatMap(([, from = ""]) => exportsOf(resolve(path, "..", from)));
  const named = [...text.matchAll(namedExport)].flatMap(([, allTypes, names = "", from = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .map((name) => ({
        name: name.replace(/^type /, ""),
        isType: allTypes !== undefined || name.startsWith("type "),
        file: relative(source, resolve(path, "..", from)),
      })),
  );
  return [...stars, ...named];
}
