// Commands and agents that OpenCode keeps inline in its opencode.json (JSON with comments). Only the sections `command`
// and `agent` are read; everything else in that file concerns OpenCode only.

import { lstatSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isSystemError } from "../../lib/atomic-file.ts";
import { messageOf } from "../../lib/errors.ts";
import { parseJsonc } from "../../lib/jsonc.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { diagnostic, orRefuse, Refusal, type Diagnostic } from "../diagnostics.ts";
import type { EntityType, UnifiedEntity } from "../entities/entity.ts";
import { parseEntity } from "../entities/parse-entity.ts";
import { resolveInside } from "../files/links.ts";
import { maxMarkdownBytes, readTextFile } from "../files/read-file.ts";
import { forbiddenKey } from "../markdown/yaml.ts";
import { isPlainObject, toPlain, type Plain, type PlainObject } from "../plain-data.ts";
import type { ConfigFile } from "./entity-folders.ts";
import type { FoundEntity, LoadedEntities } from "./load-entity-folder.ts";

export function loadOpencodeConfig(config: ConfigFile): LoadedEntities {
  const diagnostics: Diagnostic[] = [];
  const report = (problem: Diagnostic): void => void diagnostics.push({ file: config.path, ...problem });
  // Reading the file reports a folder that can't be opened, like any other.
  if (isAbsent(config.path)) return { found: [], diagnostics };
  const data = orRefuse(config.path, report, () => readConfig(config, report));
  if (data === undefined) return { found: [], diagnostics };
  const found: FoundEntity[] = [];
  for (const [type, section] of sectionsOf(data, report)) {
    for (const [name, entry] of Object.entries(section)) {
      const reportEntry = (problem: Diagnostic): void =>
        report({ ...problem, message: `${type} "${safeLine(name, 40)}": ${problem.message}` });
      const entity = orRefuse(config.path, reportEntry, () => parseEntry(type, name, entry, config, reportEntry));
      if (entity !== undefined) found.push({ entity, rank: config.rank });
    }
  }
  return { found, diagnostics };
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}

function readConfig(config: ConfigFile, report: (problem: Diagnostic) => void): PlainObject {
  const text = readTextFile(resolveInside(config.path, config.boundary), maxMarkdownBytes);
  let parsed: unknown;
  try {
    parsed = parseJsonc(text);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new Refusal("too-deep", "Nested too deeply.");
    throw new Refusal("config-invalid", `Not valid JSON: ${messageOf(thrown).replace(/^JSONC Parse error: /, "")}.`);
  }
  const { value, dropped } = toPlain(parsed);
  for (const path of dropped) report(forbiddenKey(path));
  if (isPlainObject(value)) return value;
  throw new Refusal("config-invalid", "The file must hold a JSON object.");
}

function* sectionsOf(
  data: PlainObject,
  report: (problem: Diagnostic) => void,
): Generator<readonly ["command" | "agent", PlainObject]> {
  for (const type of ["command", "agent"] as const) {
    for (const key of [type, `${type}s`]) {
      const section = data[key];
      if (section === undefined) continue;
      if (isPlainObject(section)) yield [type, section];
      else report(diagnostic("error", "field-type", `"${key}" must be an object of ${type}s.`));
    }
  }
}

function parseEntry(
  type: EntityType,
  name: string,
  entry: Plain,
  config: ConfigFile,
  report: (problem: Diagnostic) => void,
): UnifiedEntity | undefined {
  if (!isPlainObject(entry)) throw new Refusal("field-type", "It must be an object.");
  if (entry["disable"] === true) {
    report(diagnostic("info", "disabled", 'It says "disable": true.'));
    return undefined;
  }
  const promptKey = type === "command" ? "template" : "prompt";
  const { [promptKey]: written, name: _, ...fields } = entry;
  const prompt = promptFrom(written, promptKey, config);
  const source = { provider: config.provider, location: config.location, path: config.path };
  const { entity, notes } = parseEntity({ type, source, defaultName: name, fields, prompt });
  for (const note of notes) report(note);
  return entity;
}

/** Text, or OpenCode's `{file:./prompt.md}`. */
function promptFrom(written: Plain | undefined, key: string, config: ConfigFile): string {
  if (written === undefined || written === null) return "";
  if (typeof written !== "string") throw new Refusal("field-type", `"${key}" must be text.`);
  const reference = /^\s*\{file:([^}]+)\}\s*$/.exec(written)?.[1]?.trim();
  if (reference === undefined) return written.trim();
  const path = resolve(dirname(config.path), reference);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new Refusal("unreadable", `"${key}" names the file ${reference}, which was not found.`);
  }
  return readTextFile(resolveInside(path, config.boundary), maxMarkdownBytes).trim();
}
