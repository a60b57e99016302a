// Which value counts and where it comes from. Order: default, the user's file, the project's file, the environment,
// flags; later wins. A project's file is held to the rules of setting-table.ts, and what it may not do is reported.

import { realOrSame } from "../lib/real-path.ts";
import { join } from "node:path";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";
import { readSettingsFile, type SettingProblem, type SettingsFile } from "./settings-file.ts";
import {
  problemWithValue,
  settingKeys,
  settingSpec,
  settingTable,
  type SettingKey,
  type SettingSpec,
  type SettingValue,
} from "./setting-table.ts";

export type SettingOrigin = "default" | "user" | "project" | "environment" | "flag";

export interface ResolvedSetting {
  readonly key: string;
  readonly value: SettingValue;
  readonly origin: SettingOrigin;
  /** The file, the variable or the flag; absent for a default. */
  readonly at?: string;
}

export interface SettingsFolders {
  readonly projectDir: string;
  readonly atomicHome: string;
}

export interface Settings {
  readonly userFile: string;
  /** Absent where the project's folder is the user's own home. */
  readonly projectFile: string | undefined;
  /** By key; without those that have no value. */
  readonly values: ReadonlyMap<string, ResolvedSetting>;
  readonly problems: readonly SettingProblem[];
  text(key: SettingKey): string | undefined;
  number(key: SettingKey): number | undefined;
  /** Words with commas or blanks between them. */
  list(key: SettingKey): readonly string[];
  /** What to use instead of a built-in, by its name. A project's file counts only where the project is trusted. */
  replacements(isProjectTrusted: boolean): Readonly<Record<string, string>>;
  /** Those of them that a project's file asks for. */
  replacedByProject(): readonly ResolvedSetting[];
}

export interface ResolveOptions {
  readonly folders: SettingsFolders;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Typed on the command line, by key. */
  readonly flags?: Readonly<Partial<Record<SettingKey, SettingValue | undefined>>>;
}

export function resolveSettings(options: ResolveOptions): Settings {
  const { projectDir, atomicHome } = options.folders;
  const userFile = join(atomicHome, "settings.json");
  const projectFile = projectFileOf(projectDir, atomicHome);
  const user = readSettingsFile(userFile, "error");
  const project = projectFile === undefined ? undefined : readSettingsFile(projectFile, "warning", projectDir);
  const problems = [...user.problems, ...(project?.problems ?? [])];
  const values = new Map<string, ResolvedSetting>();
  const set = (key: string, value: SettingValue, origin: SettingOrigin, at?: string): void => {
    values.set(key, { key, value, origin, ...(at === undefined ? {} : { at }) });
  };

  for (const key of settingKeys) {
    const spec: SettingSpec = settingTable[key];
    if (spec.default !== undefined) set(key, spec.default, "default");
  }
  for (const [key, value] of user.values) set(key, value, "user", userFile);
  for (const [key, value] of project?.values ?? []) {
    const refusal = refusalOf(key, value, user);
    if (refusal === undefined) set(key, value, "project", projectFile);
    else problems.push({ severity: "warning", message: refusal, at: projectFile ?? "", key });
  }
  for (const key of settingKeys) readVariable(key, options.environment, set, problems);
  for (const [key, value] of Object.entries(options.flags ?? {})) {
    if (value !== undefined) set(key, value, "flag", `--${flagOf(key)}`);
  }
  return settingsOf({ userFile, projectFile, values, problems }, user);
}

/** Throws SETTINGS_INVALID when something that the user set can't be used: a run must not go by a wrong limit. */
export function requireValid(settings: Settings): Settings {
  const errors = settings.problems.filter((each) => each.severity === "error");
  if (errors.length === 0) return settings;
  const lines = errors.map(({ at, message }) => `  ${at}: ${message}`);
  const text = `The settings can't be used:\n${lines.join("\n")}\nCorrect them; \`atomic config\` shows what counts and where it comes from.`;
  throw new AtomicError("SETTINGS_INVALID", text, { details: { problems: errors } });
}

function settingsOf(
  parts: Pick<Settings, "userFile" | "projectFile" | "values" | "problems">,
  user: SettingsFile,
): Settings {
  const valueOf = (key: string): SettingValue | undefined => parts.values.get(key)?.value;
  const builtins = [...parts.values.values()].filter(({ key }) => key.startsWith("builtins."));
  return {
    ...parts,
    text(key) {
      const value = valueOf(key);
      return typeof value === "string" ? value : undefined;
    },
    number(key) {
      const value = valueOf(key);
      return typeof value === "number" ? value : undefined;
    },
    list(key) {
      return (this.text(key) ?? "").split(/[\s,]+/).filter((word) => word !== "");
    },
    replacements(isProjectTrusted) {
      const counting = builtins.flatMap(({ key, value, origin }): [string, SettingValue][] => {
        const counts = origin === "project" && !isProjectTrusted ? user.values.get(key) : value;
        return counts === undefined ? [] : [[key.slice("builtins.".length), counts]];
      });
      return Object.fromEntries(counting.map(([key, value]) => [key, String(value)]));
    },
    replacedByProject: () => builtins.filter(({ origin }) => origin === "project"),
  };
}

/** In the home folder a project's `.atomic` is the user's own. */
function projectFileOf(projectDir: string, atomicHome: string): string | undefined {
  const folder = join(projectDir, ".atomic");
  return realOrSame(folder) === realOrSame(atomicHome) ? undefined : join(folder, "settings.json");
}

function refusalOf(key: string, value: SettingValue, user: SettingsFile): string | undefined {
  const { project, isZeroUnlimited = false, default: usual } = settingSpec(key) as SettingSpec;
  if (project === "yes") return undefined;
  if (project === "no") return `A project may not set "${key}", so it is left out. Set it in your own settings.`;
  if (typeof project === "function") {
    const reason = project(value);
    return reason === undefined ? undefined : `"${key}" is left out: ${reason}.`;
  }
  const own = user.values.get(key);
  const allowed = own ?? usual;
  if (allowed === undefined || size(value) <= size(allowed)) return undefined;
  const who = own === undefined ? "the default is" : "your own settings allow";
  return `"${key}" is left out: ${who} ${allowed}, and a project may only ask for less. Raise it in your own settings.`;

  function size(limit: SettingValue): number {
    return isZeroUnlimited && limit === 0 ? Number.POSITIVE_INFINITY : Number(limit);
  }
}

function readVariable(
  key: keyof typeof settingTable,
  environment: Readonly<Record<string, string | undefined>>,
  set: (key: string, value: SettingValue, origin: SettingOrigin, at: string) => void,
  problems: SettingProblem[],
): void {
  const spec: SettingSpec = settingTable[key];
  const { variable } = spec;
  const text = variable === undefined ? undefined : environment[variable];
  // An empty variable is how a shell says: not set.
  if (variable === undefined || text === undefined || text === "") return;
  const value = spec.type === "number" ? parseNumber(text) : text;
  const problem = problemWithValue(spec, value);
  if (problem === undefined) set(key, value, "environment", variable);
  else {
    const shown = spec.isSecret === true ? "Its value" : `${safeLine(text, 80)}:`;
    problems.push({ severity: "error", message: `${shown} ${problem}.`, at: variable, key });
  }
}

/** `NaN` for anything else than a number; the check reports it. */
export function parseNumber(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text);
}

/** `limits.maxCost` is typed as `--max-cost`. */
function flagOf(key: string): string {
  const last = key.slice(key.lastIndexOf(".") + 1);
  return last.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
