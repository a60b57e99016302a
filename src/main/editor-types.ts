// Where the declarations of our subpaths are, for an editor: the sources in a clone, dist/ in an installed package. The
// single-file program has them inside and writes them out, once per version.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EditorTypes } from "../app/parts.ts";
import { version } from "../lib/version.ts";

const files: Readonly<Record<string, string>> = {
  "atomic/workflows": "workflows",
  "@atomic/workflows": "workflows",
  "atomic/workflows/graph": "graph",
  "@atomic/graph": "graph",
  "atomic/workflows/sqlite": "sqlite",
  "atomic/workflows/postgres": "postgres",
  "atomic/agents": "agents",
  "atomic/testing": "testing",
  "atomic/types": "types",
};

/** The name under which scripts/build-program.ts puts the declarations into the single-file program. */
const embeddedName = "atomic-declarations";

export function createEditorTypes(): EditorTypes {
  const embedded = Bun.embeddedFiles.find((file) => "name" in file && String(file.name).includes(embeddedName));
  if (embedded !== undefined) {
    return {
      paths: (home) => writeOut(embedded, join(home, "types", version)),
      typeRoots: [],
      types: [],
      include: [],
      compilerOptions: {},
    };
  }
  // This file is src/main/editor-types.ts, or a part of a chunk in dist/program/.
  const root = import.meta.dir.endsWith(join("src", "main"))
    ? join(import.meta.dir, "..", "..")
    : join(import.meta.dir.replace(/[\\/]shared$/, ""), "..", "..");
  const isClone = existsSync(join(root, "src", "public", "workflows.ts"));
  const typeRoot = join(root, "node_modules", "@types");
  const hasBunTypes = existsSync(join(typeRoot, "bun"));
  return {
    paths: async () => {
      const own = Object.entries(files).map(([name, file]) => {
        return [name, isClone ? join(root, "src/public", `${file}.ts`) : join(root, "dist/dts/public", `${file}.d.ts`)];
      });
      const zod = findPackage(root, "zod");
      return Object.fromEntries([...own, ...(zod === undefined ? [] : [["zod", zod]])]);
    },
    typeRoots: hasBunTypes ? [typeRoot] : [],
    types: hasBunTypes ? ["bun"] : [],
    include: isClone ? [join(root, "src/catalog/builtin/markdown-text.d.ts")] : [],
    compilerOptions: isClone ? { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true } : {},
  };
}

/** Beside this package, or in a folder that it is installed in. */
function findPackage(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, "node_modules", name);
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

async function writeOut(embedded: Blob, folder: string): Promise<Readonly<Record<string, string>>> {
  const declarations = (await embedded.json()) as Readonly<Record<string, string>>;
  for (const [name, text] of Object.entries(declarations)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const own = Object.entries(files).map(([name, file]) => [name, join(folder, "atomic/public", `${file}.d.ts`)]);
  return Object.fromEntries([...own, ["zod", join(folder, "zod")]]);
}
