// What counts as an answer to a question, and the names that a user can type for it. Pure: asking,
// answering and handling invalid answers happen elsewhere.

import type { Json } from "../../../lib/json.ts";
import type { OpenQuestion, Question } from "./question.ts";

export type FittedAnswer = { readonly value: Json } | { readonly problem: string };

type Choices = Pick<Question, "options" | "multiSelect" | "freeText">;

export function optionLabels({ options = [] }: Pick<Question, "options">): readonly string[] {
  return options.map((option) => (typeof option === "string" ? option : option.label));
}

/** Free text is accepted as well as the options. Always true if there are no options. */
export function takesFreeText({ options = [], freeText = false }: Choices): boolean {
  return freeText || options.length === 0;
}

/** An option may be named by its number, from 1; several of them as a list, or as text with commas. */
export function fitAnswer(question: Choices, value: Json): FittedAnswer {
  const labels = optionLabels(question);
  if (labels.length === 0) return { value };
  if (typeof value === "string" && value.trim() === "") return { problem: "The answer is empty." };
  const given = splitAnswer(question, labels, value);
  if (given.length === 0) return { problem: "The answer is empty." };
  if (given.length > 1 && question.multiSelect !== true) return { problem: "Choose only one." };
  const chosen: string[] = [];
  for (const each of given) {
    const label = typeof each === "string" ? (labelOf(labels, each) ?? each.trim()) : undefined;
    if (label === undefined || (!labels.includes(label) && !takesFreeText(question)))
      return { problem: `${JSON.stringify(each)} is not an option. Choose ${oneOf(labels)}.` };
    if (!chosen.includes(label)) chosen.push(label);
  }
  return { value: question.multiSelect === true ? chosen : (chosen[0] ?? "") };
}

function splitAnswer({ multiSelect }: Choices, labels: readonly string[], value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "string" || multiSelect !== true || labelOf(labels, value) !== undefined) return [value];
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function labelOf(labels: readonly string[], written: string): string | undefined {
  const text = written.trim();
  if (labels.includes(text)) return text;
  const alike = labels.filter((label) => label.toLowerCase() === text.toLowerCase());
  if (alike.length === 1) return alike[0];
  return /^\d+$/.test(text) ? labels[Number(text) - 1] : undefined;
}

function oneOf(labels: readonly string[]): string {
  return labels.length === 1 ? `${labels[0]}` : `${labels.slice(0, -1).join(", ")} or ${labels.at(-1)}`;
}

type Named = Pick<OpenQuestion, "id" | "name" | "key">;

/**
 * Short names, the most common first: `approve` for a question of the node's first visit, `approve#2` for the second,
 * the id that its author gave it. Where a visit asks several, each also has a name with its own ending:
 * `work:3f2a9c01`.
 */
export function typedNames({ id, name, key }: Named): readonly string[] {
  if (name !== undefined) return [name];
  if (id !== key && !id.startsWith(`${key}?`)) return [id];
  const visit = key.slice(key.lastIndexOf("/") + 1);
  const base = visit.endsWith("#1") ? visit.slice(0, -2) : visit;
  const ending = /[:?]([^:?]+)$/.exec(id.slice(key.length))?.[1];
  return [base, ...(base === visit ? [] : [visit]), ...(ending === undefined ? [] : [`${base}:${ending}`])];
}

/** The shortest name that is unique among these questions. */
export function typedNameAmong(question: Named, open: Iterable<Named>): string {
  const others = [...open].filter(({ id }) => id !== question.id).flatMap((other) => [other.id, ...typedNames(other)]);
  return typedNames(question).find((name) => !others.includes(name)) ?? question.id;
}
