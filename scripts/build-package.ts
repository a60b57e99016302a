// `npm run build:package` (and `prepack`): fills dist/ with what the tarball ships.
// - one ES2022 module per public subpath, and what they share once; the program apart, in dist/program;
// - the declarations as a tree of small files, for the same reason: one declaration per class; and their sources, for
//   editors that go to a definition.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { bundlePackage } from "./bundle-package.ts";
import { emitDeclarations } from "./emit-declarations.ts";

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
await bundlePackage(dist);
await emitDeclarations(root, join(dist, "dts"), { sources: join(dist, "source") });
