// The configuration of the bundler: for the package, for the benches on Node and for tests that run under Node. Code
// that entries share is in one chunk, so that a class is the same object in every entry. Everything that an entry
// imports statically can be put into a single chunk: each file costs half a millisecond at start on Node.

import { dirname, resolve } from "node:path";
import { rolldown } from "rolldown";
import type { OutputBundle, OutputChunk } from "rolldown";
import manifest from "../package.json" with { type: "json" };
import { asciiCode } from "./ascii-code.ts";

export interface BundleOptions {
  /** Where each module is written, and its source: { graph: "…/graph.ts" } makes graph.js. */
  readonly entries: Readonly<Record<string, string>>;
  readonly folder: string;
  /** The entry whose static imports, all of them, are one chunk. */
  readonly whole?: string;
  /** Sources that are loaded at the same moments, by the name of the one chunk that they and their imports become. */
  readonly together?: Readonly<Record<string, readonly string[]>>;
  /** Packages are imported at run time, unless the bundle has to be self-contained. */
  readonly packages?: "external" | "bundled";
  /** Sources that are bundled separately: the path of each, and what an entry's import of it becomes. */
  readonly apart?: Readonly<Record<string, string>>;
  /** Further packages that are imported at run time. */
  readonly installed?: readonly string[];
}

export async function bundle({
  entries,
  folder,
  whole,
  together = whole === undefined ? {} : { [whole]: [entries[whole] as string] },
  packages = "external",
  installed = [],
  apart = {},
}: BundleOptions): Promise<readonly OutputChunk[]> {
  const warnings: string[] = [];
  const build = await rolldown({
    input: { ...entries },
    platform: packages === "external" ? "neutral" : "node",
    external: [/^node:/, /^bun:/, ...(packages === "external" ? declaredPackages(installed) : [])],
    plugins: [
      {
        name: "apart",
        resolveId(specifier, importer) {
          if (importer === undefined || !specifier.startsWith(".")) return null;
          const id = apart[resolve(dirname(importer), specifier)];
          return id === undefined ? null : { id, external: true };
        },
      },
      {
        // Without zod's messages in fifty languages, which would be a tenth of the program. English is enough.
        name: "one language",
        load: (id) => (id.endsWith("/zod/v4/locales/index.js") ? `export { default as en } from "./en.js";` : null),
      },
    ],
    moduleTypes: { ".md": "text" },
    // The paths of tsconfig.json point the package's own name at its sources. Tests and examples need that.
    tsconfig: packages === "bundled",
    transform: { target: "es2022" },
    // No comment before each module: it names the folder of the packages, wherever that is.
    experimental: { attachDebugInfo: "none" },
    onLog: (level, log) => {
      // A module may be a static import of one entry and a dynamic one of another: both work.
      if (level === "warn" && log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") warnings.push(log.message);
    },
  });
  let names: ReadonlyMap<string, string> | undefined;
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name]-[hash].js",
    // Marks the file for Bun as transpiled ASCII. For other runtimes it is a comment.
    postBanner: "// @bun",
    plugins: [{ name: "ascii", generateBundle: (_, files) => escapeAll(files) }],
    comments: false,
    // The program is read by Bun only. Without spaces it takes a tenth less of the disk.
    ...(packages === "bundled"
      ? { minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } } }
      : {}),
    codeSplitting: {
      // A chunk takes everything that its modules import, unless one that comes before has it.
      groups: Object.keys(together).map((chunk, i, all) => ({
        debugName: chunk,
        priority: all.length - i,
        name(id, context) {
          names ??= chunkNames(together, (of) => context.getModuleInfo(of)?.importedIds ?? []);
          return names.get(id) === chunk ? chunk : null;
        },
      })),
    },
  });
  await build.close();
  // A warning is a dropped import or an unknown name: the bundle would differ from the sources.
  if (warnings.length > 0) throw new Error(`The bundler warned:\n${warnings.join("\n")}`);
  return output.filter((file) => file.type === "chunk");
}

/** The last step: the bundler would otherwise print the code again without the escapes. */
function escapeAll(files: OutputBundle): void {
  for (const file of Object.values(files)) {
    if (file.type === "chunk") file.code = asciiCode(file.code, file.fileName);
  }
}

/**
 * Only packages that an install brings may stay outside the bundle. A helper that the bundler adds when it lowers
 * syntax
 * (`using`) looks like a package too, but is not installed: it has to be bundled, and any other import is an error.
 */
function declaredPackages(installed: readonly string[]): readonly RegExp[] {
  const names = [...Object.keys(manifest.dependencies), ...installed];
  return names.map((name) => new RegExp(`^${RegExp.escape(name)}(/|$)`));
}

type ImportsOf = (id: string) => readonly string[];

/** The chunk of each module that is assigned here: the first one whose sources import it. */
function chunkNames(
  together: Readonly<Record<string, readonly string[]>>,
  importsOf: ImportsOf,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [name, sources] of Object.entries(together))
    for (const id of staticImports(sources, importsOf)) if (!names.has(id)) names.set(id, name);
  return names;
}

function staticImports(sources: readonly string[], importsOf: ImportsOf): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...sources];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...importsOf(id));
  }
  return found;
}
