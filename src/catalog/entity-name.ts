// Names that people type after a slash and that end up in file names. Owns which names are allowed and how they compare.

import { Refusal } from "./diagnostics.ts";
import { safeLine } from "../lib/safe-text.ts";

const maxLength = 64;
const allowed = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u;
/** Windows opens a device instead of a file of such a name, whatever its extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?$/i;

/** How names compare: `Commit`, `commit` and a differently composed `é` are one name. */
export function nameKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** The canonical form of a name from a file: lower case, spaces as hyphens. Throws a Refusal for any other oddity. */
export function parseEntityName(written: string): string {
  const problem = problemWith(written);
  if (problem === undefined) return nameKey(written.trim().replace(/ +/g, "-"));
  throw new Refusal("name-invalid", `"${safeLine(written, 40)}" is not a usable name: ${problem}.`);
}

function problemWith(written: string): string | undefined {
  const name = written.trim().replace(/ +/g, "-");
  if (name === "") return "it is empty";
  if (name.length > maxLength) return `it has ${name.length} characters, at most ${maxLength} are allowed`;
  if (name.includes("/") || name.includes("\\") || name.includes("..")) return "it looks like a path";
  if (name.includes(":")) return 'a colon is kept for addresses like "atomic:worker"';
  if (!allowed.test(name))
    return 'only letters, digits, ".", "_" and "-" are allowed, and it starts with a letter or digit';
  if (reserved.test(name)) return "Windows keeps it for a device";
  return undefined;
}
