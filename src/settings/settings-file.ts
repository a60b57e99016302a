// One settings.json, read: JSON with comments, as flat keys. Faults are collected, never thrown: a broken file must not
// prevent listing, reading or fixing it. Precedence is up to resolve-settings.ts.

import { isInside } from "../lib/real-path.ts";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { systemCode } from "../lib/atomic-file.ts";
import { nearest } from "../lib/did-you-mean.ts";
import { messageOf } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";
import { problemWithValue, settingKeys, settingSpec, type SettingValue } from "./setting-table.ts";

export interface SettingProblem {
  /** A warning is about something that was left out; an error is about something the user meant to count. */
  readonly severity: "error" | "warning";
  readonly message: string;
  /** The file or the variable it is about. */
  readonly at: string;
  readonly key?: string;
}

export interface SettingsFile {
  readonly path: string;
  readonly exists: boolean;
  readonly values: ReadonlyMap<string, SettingValue>;
  readonly problems: readonly SettingProblem[];
}

const maxBytes = 256 * 1024;
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** `boundary`: the project's folder; a file that a link takes out of it is not read. */
export function readSettingsFile(path: string, severity: SettingProblem["severity"], boundary?: string): SettingsFile {
  const problems: SettingProblem[] = [];
  const values = new Map<string, SettingValue>();
  const report: Report = (message, key) => {
    problems.push({ severity, message: safeLine(message, 400), at: path, ...(key === undefined ? {} : { key }) });
    return undefined;
  };
  const text = readText(path, boundary, report);
  if (text === undefined) return { path, exists: problems.length > 0, values, problems };
  const data = parse(text, report);
  if (data !== undefined) flatten(data, "", values, report);
  return { path, exists: true, values, problems };
}

/** Gives nothing back, so that it can end a function that gives something. */
type Report = (message: string, key?: string) => undefined;

function readText(path: string, boundary: string | undefined, report: Report): string | undefined {
  try {
    const info = statSync(path);
    if (!info.isFile()) return report("It is not a file.");
    if (info.size > maxBytes) return report(`It is larger than ${maxBytes / 1024} kB.`);
    if (boundary !== undefined && !isInside(realpathSync(path), realpathSync(boundary))) {
      return report("It is a link that leads out of the project, so it is not read.");
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code !== "ENOENT" && code !== "ENOTDIR") report(`It can't be read: ${code ?? messageOf(thrown)}.`);
    return undefined;
  }
}

function parse(text: string, report: Report): object | undefined {
  if (text.trim() === "") return {};
  let data: unknown;
  try {
    data = Bun.JSONC.parse(text);
  } catch (thrown) {
    return report(`It is not JSON with comments: ${messageOf(thrown)}.`);
  }
  if (typeof data === "object" && data !== null && !Array.isArray(data)) return data;
  return report("It must hold an object: { … }.");
}

function flatten(data: object, prefix: string, values: Map<string, SettingValue>, report: Report): void {
  for (const [name, value] of Object.entries(data)) {
    const key = prefix + name;
    if (key === "$schema") continue;
    if (forbidden.has(name)) {
      report(`"${key}" is not a setting.`, key);
      continue;
    }
    const spec = settingSpec(key);
    if (spec !== undefined) {
      const problem = problemWithValue(spec, value);
      if (problem === undefined) values.set(key, value as SettingValue);
      else report(`"${key}" ${problem}.`, key);
    } else if (isGroup(key)) {
      if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        flatten(value, `${key}.`, values, report);
      } else report(`"${key}" must be an object: { … }.`, key);
    } else report(unknownSetting(key), key);
  }
}

function isGroup(key: string): boolean {
  return settingKeys.some((known) => known.startsWith(`${key}.`));
}

export function unknownSetting(key: string): string {
  const near = nearest(
    key,
    settingKeys.filter((known) => !known.includes("*")),
  );
  const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
  return `There is no setting "${safeLine(key, 80)}"${hint}.`;
}
