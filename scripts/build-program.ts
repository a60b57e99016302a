// `npm run build`: the whole program as one file for this platform, in build/atomic (or --outfile PATH). It holds the
// declarations of the subpaths too, for the editors of people who have nothing else of Atomic.
// It reads no .env and no bunfig.toml of the folder it is started in (docs/decisions/042-command-line.md).

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { emitDeclarations } from "./emit-declarations.ts";
import { mustRun } from "./run-command.ts";

const root = join(import.meta.dir, "..");
const { values } = parseArgs({ options: { outfile: { type: "string", default: join(root, "build/atomic") } } });
const outfile = resolve(values.outfile);
const temp = mkdtempSync(join(tmpdir(), "atomic-build-"));

try {
  const declarations = join(temp, "atomic-declarations.data");
  writeFileSync(declarations, JSON.stringify({ ...(await ownDeclarations()), ...zodDeclarations() }));
  mkdirSync(dirname(outfile), { recursive: true });
  await mustRun(
    [
      process.execPath,
      "build",
      "--compile",
      "--minify",
      "--bytecode",
      "--format=esm",
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
      "--define",
      'process.env.NODE_ENV="production"',
      `--outfile=${outfile}`,
      join(root, "src/main.ts"),
      declarations,
    ],
    { cwd: root },
  );
  console.log(`built ${outfile}`);
} finally {
  rmSync(temp, { recursive: true, force: true });
}

async function ownDeclarations(): Promise<Record<string, string>> {
  const folder = join(temp, "dts");
  await emitDeclarations(root, folder);
  return collect(folder, "atomic", (name) => name.endsWith(".d.ts"));
}

function zodDeclarations(): Record<string, string> {
  const folder = join(root, "node_modules/zod");
  return collect(folder, "zod", (name) => /\.d\.ts$|^package\.json$/.test(name) && !name.startsWith("src"));
}

function collect(folder: string, prefix: string, isWanted: (name: string) => boolean): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isWanted);
  return Object.fromEntries(files.map((name) => [`${prefix}/${name}`, readFileSync(join(folder, name), "utf8")]));
}
