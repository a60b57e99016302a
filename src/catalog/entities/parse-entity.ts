// Parses one entity from the fields of a file, for every provider. Owns which fields have a meaning here and what
// happens when one has the wrong type. Every other field is kept.
//
// A wrong field that restricts (tools, model) or names the entity refuses the file; one that only describes it is
// replaced by its default, with a warning.

import { deepFreeze } from "../../lib/deep-freeze.ts";
import { diagnostic, Refusal, type Diagnostic } from "../diagnostics.ts";
import { isLabel, parseEntityName } from "../entity-name.ts";
import type { Plain, PlainObject } from "../plain-data.ts";
import type { AgentModel, EntityOrigin, EntityType, UnifiedEntity } from "./entity.ts";
import { normalizeModel } from "./normalize-model.ts";
import { normalizeTools, toolRulesOf } from "./normalize-tools.ts";

export interface EntityFields {
  readonly type: EntityType;
  readonly source: EntityOrigin;
  /** From the file's or the folder's name. */
  readonly defaultName: string;
  readonly fields: PlainObject;
  readonly prompt: string;
}

export interface ParsedEntity {
  readonly entity: UnifiedEntity;
  readonly notes: readonly Diagnostic[];
}

/** The spellings that providers use for each field. */
const spellings = {
  name: ["name"],
  description: ["description"],
  aliases: ["aliases", "alias"],
  model: ["model"],
  tools: ["tools", "allowed-tools", "allowedTools"],
  argumentHint: ["argument-hint", "argumentHint"],
} as const;

type Meaning = keyof typeof spellings;

const meanings: ReadonlyMap<string, Meaning> = new Map(
  (Object.keys(spellings) as Meaning[]).flatMap((meaning) => spellings[meaning].map((key) => [key, meaning] as const)),
);

export function parseEntity(input: EntityFields): ParsedEntity {
  const notes: Diagnostic[] = [];
  const { known, extra } = sortFields(input.fields);
  const { name, label } = nameAndLabel(nameFrom(known.name), input.defaultName);
  if (input.prompt === "" && input.type !== "agent") {
    throw new Refusal("empty", `The ${input.type} has no instructions: write them below the frontmatter.`);
  }
  const aliases = aliasesFrom(known.aliases, name, notes);
  const tools = known.tools === undefined ? undefined : normalizeTools(known.tools);
  const toolRules = known.tools === undefined || tools === undefined ? undefined : toolRulesOf(known.tools);
  const models = modelsFrom(known.model);
  const argumentHint = hintFrom(known.argumentHint, notes);
  const entity: UnifiedEntity = {
    type: input.type,
    name,
    ...(label === undefined ? {} : { label }),
    description: descriptionFrom(known.description, notes) ?? `${titles[input.type]}: ${label ?? name}`,
    ...(aliases.length === 0 ? {} : { aliases }),
    prompt: input.prompt,
    ...(tools === undefined ? {} : { tools }),
    ...(toolRules === undefined ? {} : { toolRules }),
    ...(models === undefined ? {} : { model: firstFamily(models) }),
    ...(argumentHint === undefined ? {} : { argumentHint }),
    source: input.source,
    ...declaredFrom(models, known.tools),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  return { entity: deepFreeze(entity), notes };
}

const titles: Readonly<Record<EntityType, string>> = { agent: "Agent", skill: "Skill", command: "Command" };

interface SortedFields {
  readonly known: Partial<Record<Meaning, Plain>>;
  readonly extra: Record<string, Plain>;
}

/** The first spelling of a field wins; a second one is kept with the unknown fields. */
function sortFields(fields: PlainObject): SortedFields {
  const known: Partial<Record<Meaning, Plain>> = {};
  const extra: Record<string, Plain> = {};
  for (const [key, value] of Object.entries(fields)) {
    const meaning = meanings.get(key);
    const first = meaning === undefined ? undefined : spellings[meaning].find((each) => fields[each] !== undefined);
    if (meaning === undefined || key !== first) extra[key] = value;
    else known[meaning] = value;
  }
  return { known, extra };
}

function nameFrom(value: Plain | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  // `name: 2024` is a number to YAML and a name to its author.
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new Refusal("field-type", `"name" must be text, not ${JSON.stringify(value).slice(0, 60)}.`);
}

/** Some files have a display name, which can't be typed. It becomes the label, and the file's name is the name. */
function nameAndLabel(written: string | undefined, fileName: string): { name: string; label: string | undefined } {
  if (written === undefined) return { name: parseEntityName(fileName), label: undefined };
  const label = written.trim();
  try {
    const name = parseEntityName(written);
    return { name, label: label.toLowerCase() === name ? undefined : label };
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || !isLabel(label)) throw thrown;
    return { name: parseEntityName(fileName), label };
  }
}

function descriptionFrom(value: Plain | undefined, notes: Diagnostic[]): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  notes.push(wrongType("description", "text"));
  return undefined;
}

function aliasesFrom(value: Plain | undefined, name: string, notes: Diagnostic[]): readonly string[] {
  if (value === undefined || value === null) return [];
  const written: readonly Plain[] =
    typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [null];
  const aliases: string[] = [];
  for (const alias of written) {
    if (typeof alias !== "string") {
      notes.push(wrongType("aliases", "a list of names"));
      return [];
    }
    try {
      aliases.push(parseEntityName(alias));
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      notes.push(diagnostic("warning", "name-invalid", `Alias left out: ${thrown.message}`));
    }
  }
  return [...new Set(aliases)].filter((alias) => alias !== name);
}

/** One, or several in order of preference. */
function modelsFrom(value: Plain | undefined): readonly string[] | undefined {
  const list = (Array.isArray(value) ? value : [value]).filter((each) => each !== undefined && each !== null);
  const models = list.map((model) => {
    if (typeof model === "string") return model.trim();
    throw new Refusal(
      "field-type",
      `"model" must be text, or a list of it, not ${JSON.stringify(model).slice(0, 60)}.`,
    );
  });
  const named = models.filter((model) => model !== "");
  return named.length === 0 ? undefined : named;
}

/** The first that every backend has a name for. */
function firstFamily(models: readonly string[]): AgentModel {
  return models.map(normalizeModel).find((model) => model !== "inherit") ?? "inherit";
}

function hintFrom(value: Plain | undefined, notes: Diagnostic[]): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value.trim();
  // `argument-hint: [file]` is a list to YAML; the author meant the brackets.
  if (Array.isArray(value) && value.every((part) => typeof part === "string")) return `[${value.join(", ")}]`;
  notes.push(wrongType("argument-hint", "text"));
  return undefined;
}

function declaredFrom(
  models: readonly string[] | undefined,
  tools: Plain | undefined,
): Pick<UnifiedEntity, "declared"> {
  if (models === undefined && (tools === undefined || tools === null)) return {};
  const [model, ...more] = models ?? [];
  const declaredModel = model === undefined ? {} : more.length === 0 ? { model } : { models: [model, ...more] };
  return { declared: { ...declaredModel, ...(tools === undefined ? {} : { tools }) } };
}

function wrongType(field: string, expected: string): Diagnostic {
  return diagnostic("warning", "field-type", `"${field}" must be ${expected}; it was left out.`);
}
