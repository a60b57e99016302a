// The JavaScript of the package, in two parts that share nothing: the library, one module per public subpath, and the
// program. The library imports its packages; the program contains them, so that it starts anywhere, even without a
// node_modules (Yarn Plug'n'Play).

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { OutputChunk } from "rolldown";
import { bundle } from "./bundle.ts";
import { bundleScreen, screenModule, screenPackages, screenSource } from "./bundle-screen.ts";

const source = join(import.meta.dir, "../src");

/** The packages whose code is in the tarball. THIRD_PARTY_NOTICES.md has their licenses. */
export const containedPackages: readonly string[] = [...screenPackages, "commander", "yaml", "zod"].toSorted();

export async function bundlePackage(folder: string): Promise<void> {
  const subpaths = readdirSync(join(source, "public")).map((name) => [
    basename(name, ".ts"),
    join(source, "public", name),
  ]);
  const library = await bundle({
    entries: Object.fromEntries(subpaths) as Record<string, string>,
    folder,
    whole: "graph",
  });
  const program = await bundle({
    entries: { main: join(source, "main.ts") },
    folder: join(folder, "program"),
    packages: "bundled",
    together: loadedTogether(source),
    apart: { [screenSource]: screenModule },
  });
  await bundleScreen(join(folder, "program"));
  for (const name of packagesIn([...library, ...program])) {
    if (!containedPackages.includes(name))
      throw new Error(`The bundle holds the package ${name}; its notice is missing.`);
  }
}

function packagesIn(chunks: readonly OutputChunk[]): ReadonlySet<string> {
  const ids = chunks.flatMap((chunk) => chunk.moduleIds);
  return new Set(ids.flatMap((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []));
}

/** What the program loads at start, in as few files as possible: each file costs a quarter of a millisecond. */
function loadedTogether(source: string): Readonly<Record<string, readonly string[]>> {
  const files = (...names: readonly string[]): readonly string[] => names.map((name) => join(source, name));
  return {
    version: files("lib/version.ts"),
    "run-cli": files("cli/run-cli.ts"),
    app: files("main/create-parts.ts", "app/create-app.ts"),
    recorded: files("app/recorded-runs.ts", "workflows/sessions/session-store.ts"),
    listing: files("app/listing-workspace.ts", "app/listings.ts"),
  };
}
