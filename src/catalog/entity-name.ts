// Names that people type after a slash and that end up in file names. Owns which names are allowed and how they compare.

import { Refusal } from "./diagnostics.ts";
import { safeLine } from "../lib/safe-text.ts";

const maxLength = 64;
/** Most names: nothing to change, and allowed as they are unless they are long, reserved or look like a path. */
const isCanonical = /^[a-z\d][a-z\d_-]*$/;
const allowed = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u;
/** Windows opens a device instead of a file of such a name, whatever its extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?$/i;

/** How names compare: `Commit`, `commit` and a differently composed `é` are one name. */
export function nameKey(name: string): string {
  return isCanonical.test(name) ? name : name.normalize("NFC").toLowerCase();
}

/** The canonical form of a name from a file: lower case, spaces as hyphens. Throws a Refusal for any other oddity. */
export function parseEntityName(written: string): string {
  const name = isCanonical.test(written) ? written : written.trim().replace(/ +/g, "-");
  const problem = problemWith(name);
  if (problem === undefined) return nameKey(name);
  throw new Refusal("name-invalid", `"${safeLine(written, 40)}" is not a usable name: ${problem}.`);
}

/** Whether a name that can't be typed can at least be shown: `SE: Security`, `UI/UX (web)`. No way out of a folder. */
export function isLabel(written: string): boolean {
  return written !== "" && written.length <= 2 * maxLength && !written.includes("..") && !/[\p{C}]/u.test(written);
}

function problemWith(name: string): string | undefined {
  if (name === "") return "it is empty";
  if (name.length > maxLength) return `it has ${name.length} characters, at most ${maxLength} are allowed`;
  if (name.includes("/") || name.includes("\\") || name.includes("..")) return "it looks like a path";
  if (name.includes(":")) return 'a colon is kept for addresses like "atomic:worker"';
  if (!allowed.test(name))
    return 'only letters, digits, ".", "_" and "-" are allowed, and it starts with a letter or digit';
  if (reserved.test(name)) return "Windows keeps it for a device";
  return undefined;
}
