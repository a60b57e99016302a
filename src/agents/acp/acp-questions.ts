// An agent's form for the user (`elicitation/create`) and the port's questions, converted both ways. A form is a JSON
// schema of plain fields; each field is an item. A field named like the one before it, with `_custom` added, is not an
// item: it takes a free-text answer.

import { asFields, fieldsIn, listIn, textIn, type Fields } from "../fields.ts";
import type { QuestionItem, QuestionReply } from "../questions.ts";

interface FormField {
  readonly name: string;
  readonly item: QuestionItem;
  /** The values behind the labels. */
  readonly values: ReadonlyMap<string, string>;
  readonly type: string;
  /** Where free text goes. */
  readonly customName: string | undefined;
}

export interface Form {
  readonly items: readonly QuestionItem[];
  readonly fields: readonly FormField[];
}

export type FormAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" };

/** Undefined if it is not a form: a page to visit, or nothing to fill in. */
export function readForm(params: Fields): Form | undefined {
  if ((textIn(params, "mode") ?? "form") !== "form") return undefined;
  const message = textIn(params, "message") ?? "";
  const properties = fieldsIn(fieldsIn(params, "requestedSchema"), "properties");
  const names = Object.keys(properties).filter((name) => !isCustom(name, properties));
  const fields = names.map((name) =>
    formField(name, asFields(properties[name]), {
      customName: `${name}_custom` in properties ? `${name}_custom` : undefined,
      // With one field the message is the question.
      question: names.length === 1 ? message : undefined,
    }),
  );
  return fields.length === 0 ? undefined : { items: fields.map(({ item }) => item), fields };
}

function isCustom(name: string, properties: Fields): boolean {
  return name.endsWith("_custom") && name.slice(0, -"_custom".length) in properties;
}

function formField(
  name: string,
  schema: Fields,
  around: { readonly customName: string | undefined; readonly question: string | undefined },
): FormField {
  const type = textIn(schema, "type") ?? "string";
  const options = optionsOf(type === "array" ? fieldsIn(schema, "items") : schema, type);
  const title = textIn(schema, "title");
  const item: QuestionItem = {
    text: around.question ?? textIn(schema, "description") ?? title ?? name,
    ...(title !== undefined && { header: title }),
    options: options.map(({ label, description }) => ({ label, ...(description !== undefined && { description }) })),
    isMultiple: type === "array",
    isFreeText: options.length === 0 || around.customName !== undefined,
  };
  const values = new Map(options.map(({ label, value }) => [label, value]));
  return { name, item, values, type, customName: around.customName };
}

interface FormOption {
  readonly label: string;
  readonly value: string;
  readonly description?: string | undefined;
}

function optionsOf(schema: Fields, type: string): readonly FormOption[] {
  if (type === "boolean")
    return [
      { label: "yes", value: "true" },
      { label: "no", value: "false" },
    ];
  const titled = [...listIn(schema, "oneOf"), ...listIn(schema, "anyOf")].flatMap((option) => {
    const value = textIn(option, "const");
    if (value === undefined) return [];
    return [{ value, label: textIn(option, "title") ?? value, description: textIn(option, "description") }];
  });
  if (titled.length > 0) return titled;
  const names: unknown = schema["enum"];
  return Array.isArray(names)
    ? names.filter((value) => typeof value === "string").map((value) => ({ label: value, value }))
    : [];
}

export function formAnswer(form: Form, reply: QuestionReply): FormAnswer {
  if (reply.type === "declined") return { action: reply.reason === "interrupted" ? "cancel" : "decline" };
  const entries = form.fields.flatMap((field, index) => fieldEntries(field, reply.answers[index] ?? []));
  return { action: "accept", content: Object.fromEntries(entries) };
}

function fieldEntries(field: FormField, answers: readonly string[]): readonly (readonly [string, unknown])[] {
  const { name, values, type, customName } = field;
  const chosen = answers.filter((answer) => values.has(answer)).map((answer) => values.get(answer) ?? answer);
  const typed = answers.filter((answer) => !values.has(answer)).join(", ");
  const entries: (readonly [string, unknown])[] = [];
  if (type === "array" && chosen.length > 0) entries.push([name, chosen]);
  else if (chosen[0] !== undefined) entries.push([name, type === "boolean" ? chosen[0] === "true" : chosen[0]]);
  if (typed !== "") entries.push([customName ?? name, type === "number" || type === "integer" ? Number(typed) : typed]);
  return entries;
}
