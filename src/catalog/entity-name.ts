// Names that people type after a slash and that end up in file names. Owns which names are allowed and how they
// compare.

import { Refusal } from "./diagnostics.ts";
import { safeLine } from "../lib/safe-text.ts";

const maxLength = 64;
/**
 * Most names match this. They need no conversion, and are allowed unless they are too long, reserved or like a path.
 */
const isCanonical = /^[a-z\d][a-z\d_-]*$/;
const allowed = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u;
/** Windows opens a device instead of a file of such a name, whatever its extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?$/i;

/** How names compare: `Commit`, `commit` and a differently composed `é` are one name. */
export function nameKey(name: string): string {
  return isCanonical.test(name) ? name : name.normalize("NFC").toLowerCase();
}

/** The canonical form of a name from a file: lower case, spaces as hyphens. Throws a Refusal for an invalid name. */
export function parseEntityName(written: string): string {
  const name = isCanonical.test(written) ? written : written.trim().replace(/ +/g, "-");
  const problem = problemWith(name);
  if (problem === undefined) return nameKey(name);
  throw new Refusal("name-invalid", `"${safeLine(written, 40)}" is not a usable name: ${problem}.`);
}

/** Whether a name that can't be typed can be shown: `SE: Security`, `UI/UX (web)`. Never a path out of a folder. */
export function isLabel(written: string): boolean {
  return written !== "" && written.length <= 2 * maxLength && !written.includes("..") && !/[\p{C}]/u.test(written);
}

function problemWith(name: string): string | undefined {
  if (name === "") return "it is empty";
  if (name.length > maxLength) return `it has ${name.length} characters, at most ${maxLength} are allowed`;
  if (name.includes("/") || name.includes("\\") || name.includes("..")) return "it looks like a path";
  if (name.includes(":")) return 'a colon is reserved for names like "atomic:worker"';
  if (!allowed.test(name))
    return 'only letters, digits, ".", "_" and "-" are allowed, and it starts with a letter or digit';
  if (reserved.test(name)) return "Windows reserves it for a device";
  return undefined;
}
