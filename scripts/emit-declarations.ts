// The declarations of the public subpaths, as a tree of small files: for the tarball, and for the single-file program.
// In the tarball those that a subpath exports have a map and their source beside them, so that an editor's "go to
// definition" shows the code. The rest, which is reached through types only, has neither: it would double the size.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { mustRun } from "./run-command.ts";

export interface DeclarationOptions {
  /** Where the sources go. Absent: no maps. */
  readonly sources?: string;
}

export async function emitDeclarations(root: string, folder: string, options: DeclarationOptions = {}): Promise<void> {
  const { sources } = options;
  const tsc = join(root, "node_modules/.bin/tsc");
  const maps = sources === undefined ? [] : ["--declarationMap"];
  await mustRun([tsc, "-p", "tsconfig.package.json", "--outDir", folder, ...maps], { cwd: root });
  const exported = sources === undefined ? new Set<string>() : exportedFiles(join(root, "src"));
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(folder, name);
    const text = withJsExtensions(readFileSync(file, "utf8"));
    const source = join(root, "src", name.replace(/\.d\.ts$/, ".ts"));
    if (sources !== undefined && exported.has(source)) {
      writeFileSync(file, text);
      pointTo(`${file}.map`, source, join(sources, relative(join(root, "src"), source)));
    } else {
      writeFileSync(file, text.replace(/\n\/\/# sourceMappingURL=.*/, ""));
      rmSync(`${file}.map`, { force: true });
    }
  }
  removeUnreached(folder);
}

/**
 * Removes declarations that no public type needs: the compiler writes one for every file that the code loads, and types
 * need a third of them. Each takes at least one block on disk.
 */
function removeUnreached(folder: string): void {
  const reached = new Set<string>();
  const entries = join(folder, "public");
  const waiting = readdirSync(entries).flatMap((name) => (name.endsWith(".d.ts") ? [join(entries, name)] : []));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const [, path] of readFileSync(file, "utf8").matchAll(relativeImport)) {
      waiting.push(resolve(dirname(file), `${path}.d.ts`));
    }
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, name);
    if (/\.d\.ts(\.map)?$/.test(name) && !reached.has(file.replace(/\.map$/, ""))) rmSync(file);
  }
}

const relativeImport = /(?:\bfrom |\bimport\()"(\.\.?\/[^"]*)\.js"/g;

/**
 * Declarations import the files that a program would load: `./x.ts` becomes `./x.js`. Imports without types are
 * dropped.
 */
function withJsExtensions(declarations: string): string {
  const typed = declarations.replace(/^import "[^"]*";\n/gm, "");
  return typed.replace(/((?:\bfrom |\bimport\()")(\.\.?\/[^"]*)\.tsx?"/g, '$1$2.js"');
}

/** The files that the public entries export from. */
function exportedFiles(src: string): ReadonlySet<string> {
  const entries = join(src, "public");
  return new Set(
    readdirSync(entries).flatMap((name) =>
      [...readFileSync(join(entries, name), "utf8").matchAll(/\bfrom "(\.[^"]+)"/g)].map(([, path]) =>
        resolve(entries, path ?? ""),
      ),
    ),
  );
}

/** Copies the source of a map, and makes the map name the copy. */
function pointTo(mapFile: string, source: string, copy: string): void {
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(source, copy);
  const map = JSON.parse(readFileSync(mapFile, "utf8")) as object;
  writeFileSync(mapFile, JSON.stringify({ ...map, sources: [relative(dirname(mapFile), copy)] }));
}
