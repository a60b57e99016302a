// The JavaScript of the package: one module per public subpath, and the program.

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { bundle } from "./bundle.ts";

const source = join(import.meta.dir, "../src");

export async function bundlePackage(folder: string): Promise<void> {
  const subpaths = readdirSync(join(source, "public")).map((name) => [
    basename(name, ".ts"),
    join(source, "public", name),
  ]);
  const entries = { ...(Object.fromEntries(subpaths) as Record<string, string>), main: join(source, "main.ts") };
  await bundle({ entries, folder, whole: "graph" });
}
