// `npm run build:package` (and `prepack`): fills dist/ with what the tarball ships.
// - one ES2022 module per public subpath; code they share is in one chunk, so that a class is the same object whichever
//   subpath it came from, and the program (dist/main.js) shares it too;
// - the declarations as a tree of small files, for the same reason: one declaration per class.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
await bundle();
await emitDeclarations();

async function bundle(): Promise<void> {
  const program = join(root, "src/main.ts");
  const entries = readdirSync(join(root, "src/public"))
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(root, "src/public", name));
  const { warnings } = await build({
    absWorkingDir: root,
    entryPoints: existsSync(program) ? [...entries, program] : entries,
    entryNames: "[name]",
    chunkNames: "shared/[name]-[hash]",
    outdir: dist,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    packages: "external",
    external: ["node:*", "bun:*"],
    // The paths of tsconfig.json point the package's own name at its sources, for tests and examples.
    tsconfigRaw: { compilerOptions: { jsx: "react-jsx", verbatimModuleSyntax: true } },
    legalComments: "none",
    logLevel: "warning",
  });
  // A warning is an import that was dropped or a name that is not there: the package would differ from the sources.
  if (warnings.length > 0) throw new Error("The bundler warned; its output is above.");
}

async function emitDeclarations(): Promise<void> {
  const tsc = Bun.spawn([join(root, "node_modules/.bin/tsc"), "-p", "tsconfig.package.json"], {
    cwd: root,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  if ((await tsc.exited) !== 0) throw new Error("tsc could not write the declarations; its output is above.");
  const folder = join(dist, "dts");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(folder, name);
    writeFileSync(file, withJsExtensions(readFileSync(file, "utf8")));
  }
}

/** Declarations name the files that a program would load: `./x.ts` becomes `./x.js`. */
function withJsExtensions(declarations: string): string {
  return declarations.replace(/((?:\bfrom |\bimport\()")(\.\.?\/[^"]*)\.tsx?"/g, '$1$2.js"');
}
