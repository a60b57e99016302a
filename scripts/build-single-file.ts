// The whole program as one file. It also contains the declarations of the subpaths, for the editors of people who have
// only this file. It reads no .env or bunfig.toml of the folder it is started in (docs/decisions/042-command-line.md).

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { screenDefinitions } from "./bundle-screen.ts";
import { emitDeclarations } from "./emit-declarations.ts";
import { mustRun } from "./run-command.ts";

const root = join(import.meta.dir, "..");

/** Options of `bun build` for one file that starts fast and reads no configuration of the current folder. */
export const compileFlags: readonly string[] = [
  "--compile",
  "--minify",
  "--format=esm",
  // Each command loads only the chunks it needs: `sessions` starts three times as fast.
  "--splitting",
  // Most commands end before compiled code would pay off: compiling it later saves a sixth of their CPU time.
  "--compile-jit-policy=10",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
];

export interface SingleFileOptions {
  readonly outfile: string;
  /** Another platform's Bun binary, to build for that platform. Absent: for this one. */
  readonly foreign?: { readonly target: string; readonly bun: string };
}

export async function buildSingleFile({ outfile, foreign }: SingleFileOptions): Promise<void> {
  const temp = mkdtempSync(join(tmpdir(), "atomic-build-"));
  try {
    const declarations = join(temp, "atomic-declarations.data");
    writeFileSync(declarations, JSON.stringify({ ...(await ownDeclarations(temp)), ...zodDeclarations() }));
    mkdirSync(dirname(outfile), { recursive: true });
    await mustRun(
      [
        process.execPath,
        "build",
        ...compileFlags,
        // Bytecode belongs to the Bun binary that made it, so it is left out when the binary is another platform's.
        ...(foreign === undefined ? ["--bytecode"] : []),
        ...(foreign === undefined ? [] : [`--target=${foreign.target}`, `--compile-executable-path=${foreign.bun}`]),
        ...Object.entries(screenDefinitions).flatMap(([name, value]) => ["--define", `${name}=${value}`]),
        // The native library of this platform is in the file; those of others are not installed.
        ...leftOut(foreign?.target).flatMap((name) => ["--external", name]),
        `--outfile=${outfile}`,
        join(root, "src/main.ts"),
        declarations,
      ],
      { cwd: root },
    );
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

/** Native libraries of all platforms but the one that is built for. */
function leftOut(target: string | undefined): readonly string[] {
  const names = Object.keys(manifest.optionalDependencies).filter((name) => name.startsWith("@opentui/core-"));
  const all = [...names, "@opentui/core-linux-arm64-musl", "@opentui/core-win32-x64", "@opentui/core-win32-arm64"];
  return target === undefined ? all.filter((name) => !existsSync(join(root, "node_modules", name))) : all;
}

async function ownDeclarations(temp: string): Promise<Record<string, string>> {
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
