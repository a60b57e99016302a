// `npm run build`: the whole program as one file for this platform, in build/atomic (or --outfile PATH).

import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildSingleFile } from "./build-single-file.ts";

const { values } = parseArgs({
  options: { outfile: { type: "string", default: join(import.meta.dir, "../build/atomic") } },
});
const outfile = resolve(values.outfile);
await buildSingleFile({ outfile });
console.log(`built ${outfile}`);
