// `npm run build:package` (and `prepack`): fills dist/ with what the tarball ships.
// - one ES2022 module per public subpath; code they share is in one chunk, so that a class is the same object whichever
//   subpath it came from, and the program (dist/main.js) shares it too;
// - the declarations as a tree of small files, for the same reason: one declaration per class.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { emitDeclarations } from "./emit-declarations.ts";

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
await bundle();
await emitDeclarations(root, join(dist, "dts"));

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
