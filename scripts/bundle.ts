// The bundler, set up in one place: for the package, for the benches on Node and for tests that run under Node.
// Code that entries share is in one chunk, so that a class is the same object whichever entry it came from. Everything
// that one entry loads at once can be put into a single chunk: each file costs a start-up half a millisecond on Node.

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
  /** Packages are left to be found at run time, unless the bundle has to stand alone. */
  readonly packages?: "external" | "bundled";
  /** Sources that are bundled apart: the path of each, and what an import of it by an entry becomes. */
  readonly apart?: Readonly<Record<string, string>>;
  /** Names of further packages that are found at run time. */
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
        // Zod's messages in fifty languages would be a tenth of the program. It speaks English.
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
      // A module that one entry loads at once and another when it needs it: both work.
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
  // A warning is an import that was dropped or a name that is not there: the bundle would differ from the sources.
  if (warnings.length > 0) throw new Error(`The bundler warned:\n${warnings.join("\n")}`);
  return output.filter((file) => file.type === "chunk");
}

/** The last thing that happens to the code: before, the bundler would print it again without the escapes. */
function escapeAll(files: OutputBundle): void {
  for (const file of Object.values(files)) {
    if (file.type === "chunk") file.code = asciiCode(file.code, file.fileName);
  }
}

/**
 * Only what an install brings may be left out. A helper that the bundler adds when it lowers syntax (`using`) looks like
 * a package too, but no one installs it: it has to be in the bundle, and an import of anything else is an error.
 */
function declaredPackages(installed: readonly string[]): readonly RegExp[] {
  const names = [...Object.keys(manifest.dependencies), ...installed];
  return names.map((name) => new RegExp(`^${RegExp.escape(name)}(/|$)`));
}

type ImportsOf = (id: string) => readonly string[];

/** The chunk of each module, where it is chosen here: the first one whose sources import it. */
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
