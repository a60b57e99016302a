// The parts of a listing that are not its table: what was hidden, what was refused or corrected, what is not there.

import type { Folders } from "../app/folders.ts";
import type { Listing, Problem } from "../app/listings.ts";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";

/** What is asked for by name; when there is no such thing, the error says which command lists all. */
export async function namedIn<T>(command: string, found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (thrown) {
    if (!AtomicError.is(thrown, "ENTITY_NOT_FOUND")) throw thrown;
    const { code, message, details } = thrown;
    throw new AtomicError(code, `${message}. \`atomic ${command}\` lists all.`, { details, cause: thrown });
  }
}

/** `commit (ci)` */
export function namesText(row: { readonly name: string; readonly aliases: readonly string[] }): string {
  return row.aliases.length === 0 ? row.name : `${row.name} (${row.aliases.join(", ")})`;
}

/** Empty when there is nothing to say. */
export function hiddenText(hidden: Listing<unknown>["hidden"], showPath: (path: string) => string): string {
  if (hidden.length === 0) return "";
  const lines = hidden.map(({ kind, name, file, hiddenBy }) => {
    const what = file === undefined ? "the built-in one" : showPath(file);
    const by = hiddenBy === "built in" ? "the built-in one" : showPath(hiddenBy);
    return `  ${safeLine(`${kind} ${name}`, 80)}: ${what} gives way to ${by}`;
  });
  return `\n\nHidden:\n${lines.join("\n")}`;
}

export function problemsText(problems: readonly Problem[], showPath: (path: string) => string): string {
  const refused = problems.filter((each) => each.severity === "error");
  const noted = problems.filter((each) => each.severity === "warning");
  const left = problems.filter((each) => each.severity === "info");
  return (
    section("Refused", refused, showPath) + section("Corrected", noted, showPath) + section("Not used", left, showPath)
  );
}

function section(heading: string, problems: readonly Problem[], showPath: (path: string) => string): string {
  if (problems.length === 0) return "";
  const lines = problems.map(({ file, line, message }) => {
    const place = file === undefined ? "" : `${showPath(file)}${line === undefined ? "" : `:${line}`}: `;
    return `  ${place}${safeLine(message, 600)}`;
  });
  return `\n\n${heading}:\n${lines.join("\n")}`;
}

/** Paths in their shortest form: relative to the project, or to the home folder. */
export function pathsFrom(folders: Pick<Folders, "projectDir" | "homeDir">): (path: string) => string {
  const inside = (path: string, folder: string): string | undefined =>
    path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
  return (path) => {
    const inHome = inside(path, folders.homeDir);
    return safeLine(inside(path, folders.projectDir) ?? (inHome === undefined ? path : `~/${inHome}`), 400);
  };
}
