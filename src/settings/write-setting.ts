// Writes one setting into a settings.json, with everything else in the file left as it is.

import { isInside, realOrSame } from "../lib/real-path.ts";
import { mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode, writeFileAtomically } from "../lib/atomic-file.ts";
import { AtomicError } from "../lib/errors.ts";
import { removeFromJsonc, setInJsonc } from "./jsonc-text.ts";
import { parseNumber } from "./resolve-settings.ts";
import { problemWithValue, settingSpec, type SettingSpec, type SettingValue } from "./setting-table.ts";
import { readSettingsFile, unknownSetting } from "./settings-file.ts";

/** Where to write. A project's file may be a link, but not out of the project. */
export interface SettingsTarget {
  readonly file: string;
  /** Absent for the user's own file. */
  readonly projectDir?: string | undefined;
}

/** Throws SETTINGS_INVALID when the key, the value or the file can't be used. */
export function writeSetting(target: SettingsTarget, key: string, written: string): SettingValue {
  const spec = specOf(key);
  const value = spec.type === "number" ? parseNumber(written) : written;
  const problem = problemWithValue(spec, value) ?? projectProblem(spec, target, value);
  if (problem !== undefined) throw invalid(`"${key}": ${problem}.`);
  const file = fileBehind(target);
  const text = textOf(file, key);
  const access = target.projectDir === undefined ? "private" : "shared";
  mkdirSync(dirname(file), { recursive: true, mode: access === "private" ? 0o700 : 0o777 });
  writeFileAtomically(file, setInJsonc(text, key.split("."), value), access);
  return value;
}

/** False when it was not there. */
export function removeSetting(target: SettingsTarget, key: string): boolean {
  specOf(key);
  const file = fileBehind(target);
  const text = textOf(file, key);
  const left = removeFromJsonc(text, key.split("."));
  if (left === text) return false;
  writeFileAtomically(file, left);
  return true;
}

function specOf(key: string): SettingSpec {
  const spec = settingSpec(key);
  if (spec === undefined) throw invalid(`${unknownSetting(key)} \`atomic config\` lists them.`);
  return spec;
}

function projectProblem(spec: SettingSpec, { projectDir }: SettingsTarget, value: SettingValue): string | undefined {
  if (projectDir === undefined) return undefined;
  if (spec.project === "no") return "a project may not set this; leave out --project to set it for yourself";
  return typeof spec.project === "function" ? spec.project(value) : undefined;
}

/** The file that a link leads to: people keep their settings elsewhere, and the link must stay one. */
function fileBehind({ file, projectDir }: SettingsTarget): string {
  const folder = realOrSame(dirname(file));
  const real = realOrSame(join(folder, basename(file)));
  if (projectDir === undefined || isInside(real, realOrSame(projectDir))) return real;
  throw invalid(`${file} leads out of the project, to ${real}. Nothing was written.`);
}

/** A file that can't be read as a whole is not changed in part; nor is one with something else in the key's place. */
function textOf(file: string, key: string): string {
  const { problems } = readSettingsFile(file, "error");
  const first = problems.find((each) => each.key === undefined || key.startsWith(`${each.key}.`));
  if (first !== undefined) throw invalid(`${file} is left as it is. ${first.message} Correct it first.`);
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return "";
    throw thrown;
  }
}

function invalid(message: string): AtomicError {
  return new AtomicError("SETTINGS_INVALID", message);
}
