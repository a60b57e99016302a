// `npm run build:package` (and `prepack`): fills dist/ with what the tarball ships.
// - one ES2022 module per public subpath, with shared code in shared chunks; the program separately, in dist/program;
// - the declarations as a tree of small files, so that each class has one declaration too; and their sources, for "go
//   to
//   definition" in editors.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { bundlePackage } from "./bundle-package.ts";
import { emitDeclarations } from "./emit-declarations.ts";

const root = join(import.meta.dir, "..");
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
await bundlePackage(dist);
await emitDeclarations(root, join(dist, "dts"), { sources: join(dist, "source") });
