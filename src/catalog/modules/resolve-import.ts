// Resolves relative imports. The runtime gets absolute, checked paths, so that no untrusted package.json, tsconfig.json
// or index file decides what runs.

import { statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isSystemError, systemCode } from "../../lib/atomic-file.ts";
import { resolveInside } from "../files/links.ts";

/** What kind of thing an import names. `host` modules are served by the program itself. */
export type ImportKind = "file" | "host" | "runtime" | "package" | "unsupported";

export function importKind(specifier: string, hostModules: ReadonlySet<string>): ImportKind {
  if (hostModules.has(specifier)) return "host";
  if (isPath(specifier)) return "file";
  if (specifier === "bun" || specifier.startsWith("bun:") || isBuiltin(specifier)) return "runtime";
  if (/^[a-z][a-z\d+.-]+:/i.test(specifier)) return "unsupported";
  return "package";
}

export function isPath(specifier: string): boolean {
  return /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier);
}

const extensions = [".ts", ".mts", ".js", ".mjs", ".json"];

/** The real path of the file that `specifier` names in `importer`, or undefined if there is none. */
export function resolveImport(specifier: string, importer: string): string | undefined {
  const target = specifier.startsWith("file:") ? pathOf(specifier) : resolve(dirname(importer), specifier);
  if (target === undefined) return undefined;
  const found = candidates(target).find(isFile);
  // A link may point anywhere: its target is hashed, and shown in the trust question, like any other file.
  return found === undefined ? undefined : resolveInside(found, undefined);
}

function candidates(target: string): string[] {
  // TypeScript's convention: `./helper.js` in the source means helper.ts.
  const source = target.replace(/\.([mc]?)js$/, ".$1ts");
  return [
    target,
    ...(source === target ? [] : [source]),
    ...extensions.map((extension) => target + extension),
    ...[".ts", ".js"].map((extension) => resolve(target, `index${extension}`)),
  ];
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (thrown) {
    // A name with a NUL byte never reaches the system.
    if (!isSystemError(thrown) && systemCode(thrown) !== "ERR_INVALID_ARG_VALUE") throw thrown;
    return false;
  }
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch (thrown) {
    // A host, an encoded slash, or not a URL at all.
    if (!(thrown instanceof TypeError)) throw thrown;
    return undefined;
  }
}
