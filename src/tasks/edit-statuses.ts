// Puts how tasks ended into the text of their list, and leaves every other character as it is: order, spacing, line
// ends, unknown keys. The text must have been parsed before: this file looks for places, it does not judge.

import { taskId } from "./workflow-task.ts";

/** How a task ended. */
export interface TaskEnd {
  readonly id: string;
  readonly title: string;
  readonly status: "completed" | "failed";
  readonly error?: string | undefined;
}

interface Property {
  readonly key: string;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

interface Item {
  readonly start: number;
  readonly properties: readonly Property[];
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The same text when nothing has to change. A status that says done, or skipped, is the user's own and stays. */
export function editStatuses(text: string, ends: readonly TaskEnd[], now: Date): string {
  const { items, updatedAt } = findItems(text);
  const isLegacy = !items.some((item) => propertyOf(item, "id") !== undefined);
  const edits = isLegacy ? legacyEdits(text, items, ends) : taskEdits(text, items, ends);
  if (edits.length === 0) return text;
  if (updatedAt !== undefined) edits.push(replaceValue(updatedAt, now.toISOString()));
  return applyEdits(text, edits);
}

function taskEdits(text: string, items: readonly Item[], ends: readonly TaskEnd[]): Edit[] {
  const byId = new Map(ends.map((end) => [end.id, end]));
  const words = wordsOf(text, items);
  return items.flatMap((item) => {
    const id = valueOf(text, item, "id");
    const end = typeof id === "string" || typeof id === "number" ? byId.get(taskId(id)) : undefined;
    if (end === undefined || done.has(String(valueOf(text, item, "status")))) return [];
    const error = end.status === "failed" ? end.error : undefined;
    return [...setProperty(text, item, "status", words[end.status]), ...setProperty(text, item, "error", error)];
  });
}

const done: ReadonlySet<string> = new Set(["passing", "completed", "skipped"]);

/** A list keeps its own words for completed and failed tasks. */
function wordsOf(text: string, items: readonly Item[]): Readonly<Record<TaskEnd["status"], string>> {
  const used = new Set(items.map((item) => valueOf(text, item, "status")));
  const usesOurs = used.has("passing") || used.has("failing");
  return !usesOurs && (used.has("completed") || used.has("failed"))
    ? { completed: "completed", failed: "failed" }
    : { completed: "passing", failed: "failing" };
}

/**
 * These have no ids: a task is the one with its description, at its place or, when the list has changed, at the only
 * other.
 */
function legacyEdits(text: string, items: readonly Item[], ends: readonly TaskEnd[]): Edit[] {
  const titles = items.map((item) => valueOf(text, item, "description"));
  const placeOf = ({ id, title: wanted }: TaskEnd): number | undefined => {
    const own = Number(id) - 1;
    if (titles[own] === wanted) return own;
    const others = titles.flatMap((title, i) => (title === wanted ? [i] : []));
    return others.length === 1 ? others[0] : undefined;
  };
  // Two tasks of one description may both lead to the only item that is left: it is one of them, and changed once.
  const taken = new Set<number>();
  return ends.flatMap((end) => {
    const place = placeOf(end);
    const item = place === undefined ? undefined : items[place];
    if (place === undefined || item === undefined || taken.has(place)) return [];
    taken.add(place);
    if (valueOf(text, item, "passes") === true) return [];
    return setProperty(text, item, "passes", end.status === "completed");
  });
}

// ---- edits

/** Sets, adds or (with undefined) removes it. None when it is like that already. */
function setProperty(text: string, item: Item, key: string, value: string | boolean | undefined): readonly Edit[] {
  const known = propertyOf(item, key);
  if (known === undefined) return value === undefined ? [] : [addProperty(text, item, key, value)];
  if (value === undefined) return [removeProperty(item, known)];
  return valueOf(text, item, key) === value ? [] : [replaceValue(known, value)];
}

function replaceValue({ valueStart, end }: Property, value: string | boolean): Edit {
  return { start: valueStart, end, text: JSON.stringify(value) };
}

/** After the last one, spaced like the first. */
function addProperty(text: string, { start, properties }: Item, key: string, value: string | boolean): Edit {
  const [first, last] = [properties[0] as Property, properties.at(-1) as Property];
  const before = text.slice(start + 1, first.start);
  const colon = text.slice(text.indexOf(":", first.start + JSON.stringify(first.key).length), first.valueStart);
  const gap =
    before === "" && properties.length > 1 ? text.slice(properties[0]?.end, properties[1]?.start) : `,${before}`;
  return { start: last.end, end: last.end, text: `${gap}${JSON.stringify(key)}${colon}${JSON.stringify(value)}` };
}

function removeProperty({ properties }: Item, property: Property): Edit {
  const at = properties.indexOf(property);
  const before = properties[at - 1];
  const after = properties[at + 1];
  if (before !== undefined) return { start: before.end, end: property.end, text: "" };
  return { start: property.start, end: after?.start ?? property.end, text: "" };
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return [...pieces, text.slice(at)].join("");
}

// ---- places

function findItems(text: string): { readonly items: readonly Item[]; readonly updatedAt: Property | undefined } {
  const start = skipSpace(text, 0);
  if (text[start] === "[") return { items: itemsIn(text, start), updatedAt: undefined };
  const file = readItem(text, start);
  const list = propertyOf(file, "tasks") ?? propertyOf(file, "features");
  const metadata = propertyOf(file, "metadata");
  const known =
    metadata !== undefined && text[metadata.valueStart] === "{" ? readItem(text, metadata.valueStart) : file;
  return {
    items: list === undefined ? [] : itemsIn(text, list.valueStart),
    updatedAt: known === file ? undefined : propertyOf(known, "updatedAt"),
  };
}

function itemsIn(text: string, start: number): readonly Item[] {
  const items: Item[] = [];
  for (let at = skipSpace(text, start + 1); text[at] !== "]" && at < text.length;) {
    if (text[at] === "{") items.push(readItem(text, at));
    at = skipSpace(text, endOfValue(text, at));
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return items;
}

function readItem(text: string, start: number): Item {
  const properties: Property[] = [];
  for (let at = skipSpace(text, start + 1); text[at] === '"';) {
    const keyEnd = endOfValue(text, at);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, valueStart);
    properties.push({ key: JSON.parse(text.slice(at, keyEnd)) as string, start: at, valueStart, end });
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return { start, properties };
}

/** Of a key that is there twice the last one counts, as it does for JSON.parse. */
function propertyOf({ properties }: Item, key: string): Property | undefined {
  return properties.findLast((property) => property.key === key);
}

function valueOf(text: string, item: Item, key: string): unknown {
  const property = propertyOf(item, key);
  return property === undefined ? undefined : (JSON.parse(text.slice(property.valueStart, property.end)) as unknown);
}

/** After the value that starts here, whatever it holds. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const sign = text[at] as string;
    if (sign === '"') at = endOfString(text, at);
    else if (sign === "{" || sign === "[") {
      depth++;
      at++;
    } else if (sign === "}" || sign === "]") {
      // The end of what a bare value stands in.
      if (depth === 0) return at;
      depth--;
      at++;
    } else if (depth === 0) {
      while (at < text.length && !/[\s,\]}]/.test(text[at] as string)) at++;
      return at;
    } else at++;
    if (depth === 0) return at;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && " \t\r\n\u{feff}".includes(text[at] as string)) at++;
  return at;
}
