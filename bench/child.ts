// The process that measures one subject of one bench: child.ts FILE SUBJECT SCALE FOLDER. Prints its figures as JSON.

import type { Bench, Scale } from "./harness/bench.ts";

const [file = "", subject = "", scale, folder = ""] = process.argv.slice(2);
const { default: bench } = (await import(file)) as { default: Bench };
const found = bench.subjects[subject];
if (found === undefined || !("measure" in found)) throw new Error(`There is no subject "${subject}" in ${file}.`);
const figures = await found.measure({ scale: scale as Scale, folder });
process.stdout.write(`\n${JSON.stringify(figures)}\n`);
process.exit(0);
