// Puts a text between the two markers of a part of a document, in the house format, and leaves the rest of it alone.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function writeBetweenMarkers(file: string, part: string, text: string): void {
  const begin = `<!-- bench:${part}:begin (written by \`npm run bench\`) -->`;
  const end = `<!-- bench:${part}:end -->`;
  const document = readFileSync(file, "utf8");
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${file} has lost its markers ${begin} and ${end}; put them back.`);
  writeFileSync(file, `${document.slice(0, from)}${begin}\n\n${text.trim()}\n\n${document.slice(to)}`);
  const format = Bun.spawnSync([join(import.meta.dir, "../../node_modules/.bin/oxfmt"), file], { env: {} });
  if (!format.success) throw new Error(`oxfmt could not format ${file}:\n${format.stderr.toString()}`);
}
