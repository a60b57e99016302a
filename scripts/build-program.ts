// `npm run build`: the whole program as one file for this platform, in build/atomic (or --outfile PATH).

import { join, resolve } from "node:path";
import { buildSingleFile } from "./build-single-file.ts";
import { scriptOptions } from "./script-options.ts";

const values = scriptOptions(import.meta.path, {
  outfile: { type: "string", default: join(import.meta.dir, "../build/atomic") },
});
const outfile = resolve(values.outfile);
await buildSingleFile({ outfile });
console.log(`built ${outfile}`);
