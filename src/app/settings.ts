// Settings for front ends: all of them with where they come from, and changing one.

import { AtomicError } from "../lib/errors.ts";
import { maskUrl } from "../lib/mask-url.ts";
import { resolveSettings, type ResolvedSetting, type Settings } from "../settings/resolve-settings.ts";
import { settingKeys, settingSpec, settingTable, type SettingSpec } from "../settings/setting-table.ts";
import { unknownSetting, type SettingProblem } from "../settings/settings-file.ts";
import { settingsSchema } from "../settings/settings-schema.ts";
import { removeSetting, writeSetting, type SettingsTarget } from "../settings/write-setting.ts";
import { playsScript } from "./agents.ts";
import type { AppParts } from "./parts.ts";

export { settingsSchema };
export type { ResolvedSetting, SettingProblem };

type SettingsParts = Pick<AppParts, "folders" | "environment">;

/** A setting without a value has a key alone. */
export type ListedSetting = Pick<ResolvedSetting, "key"> & Partial<ResolvedSetting>;

export interface SettingsList {
  readonly settings: readonly ListedSetting[];
  readonly problems: readonly SettingProblem[];
}

export function listSettings(parts: SettingsParts): SettingsList {
  const { values, problems } = resolve(parts);
  const known = settingKeys.filter((key) => !key.includes("*")).map((key) => values.get(key) ?? { key });
  const others = [...values.values()].filter(({ key }) => !known.some((each) => each.key === key));
  return { settings: [...known, ...others].map(shown), problems };
}

/** Undefined when it has no value. Throws SETTINGS_INVALID for an unknown setting. */
export function readSetting(parts: SettingsParts, key: string): ResolvedSetting | undefined {
  if (settingSpec(key) === undefined) {
    throw new AtomicError("SETTINGS_INVALID", `${unknownSetting(key)} \`atomic config\` lists them.`);
  }
  const found = resolve(parts).values.get(key);
  return found && shown(found);
}

/** No front end gets the password in a value. */
function shown<S extends ListedSetting>(setting: S): S {
  const isSecret = settingSpec(setting.key)?.isSecret === true;
  return isSecret && typeof setting.value === "string" ? { ...setting, value: maskUrl(setting.value) } : setting;
}

export interface SettingRow {
  readonly key: string;
  readonly description: string;
  readonly variable?: string;
  /** What a project's file may do with it, when that is not everything. */
  readonly project: string;
}

/** What there is to set, for the documentation. */
export function settingRows(): readonly SettingRow[] {
  return settingKeys.map((key) => {
    const { description, variable, project }: SettingSpec = settingTable[key];
    const rules = { yes: "", no: "Not in a project's file.", tighten: "A project's file may only lower it." };
    const rule = typeof project === "string" ? rules[project] : "A project's file may name no program.";
    return { key, description, ...(variable === undefined ? {} : { variable }), project: rule };
  });
}

export interface SettingsFiles {
  readonly user: string;
  readonly project?: string;
}

export function settingsFiles(parts: SettingsParts): SettingsFiles {
  const { userFile, projectFile } = resolve(parts);
  return { user: userFile, ...(projectFile === undefined ? {} : { project: projectFile }) };
}

export interface SettingChange {
  readonly key: string;
  readonly value: string;
  readonly isProject: boolean;
}

/** Throws SETTINGS_INVALID when the key or the value can't be. */
export function changeSetting(
  parts: SettingsParts,
  { key, value, isProject }: SettingChange,
): { readonly file: string; readonly overriddenBy?: string; readonly leftOut?: string } {
  if (key === "agent") requireUsableAgents(value);
  const target = targetFor(parts, isProject);
  const { file } = target;
  writeSetting(target, key, value);
  const { values, problems } = resolve(parts);
  const problem = problems.find((each) => each.at === file && each.key === key);
  if (problem !== undefined) return { file, leftOut: problem.message };
  const counts = values.get(key);
  const isOverridden = counts?.at !== undefined && counts.at !== file;
  return isOverridden ? { file, overriddenBy: counts.at } : { file };
}

/** What plays a file can't be the agent of every run: only a run can say which file. */
function requireUsableAgents(value: string): void {
  const played = value
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .find(playsScript);
  if (played === undefined) return;
  throw new AtomicError(
    "SETTINGS_INVALID",
    `${played} plays a file, and no setting names one. Choose it for a run instead: -a ${played} --script FILE.`,
  );
}

export function dropSetting(
  parts: SettingsParts,
  { key, isProject }: Pick<SettingChange, "key" | "isProject">,
): { readonly file: string; readonly wasThere: boolean } {
  const target = targetFor(parts, isProject);
  return { file: target.file, wasThere: removeSetting(target, key) };
}

function resolve({ folders, environment }: SettingsParts): Settings {
  return resolveSettings({ folders, environment });
}

function targetFor(parts: SettingsParts, isProject: boolean): SettingsTarget {
  const { userFile, projectFile } = resolve(parts);
  if (!isProject) return { file: userFile };
  if (projectFile !== undefined) return { file: projectFile, projectDir: parts.folders.projectDir };
  throw new AtomicError(
    "SETTINGS_INVALID",
    "This folder is your home: its settings are your own. Leave out --project.",
  );
}
