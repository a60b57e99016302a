// Makes parsed YAML or JSON safe to keep: a frozen copy with a bounded size and depth, without keys that reach a
// prototype, and without shared parts (YAML aliases turn a small text into a huge value).

import { Refusal } from "./diagnostics.ts";

export type Plain = null | boolean | number | string | readonly Plain[] | PlainObject;
export interface PlainObject {
  readonly [key: string]: Plain;
}

const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const maxDepth = 32;
const maxValues = 20_000;

export interface PlainCopy {
  readonly value: Plain;
  /** Paths of keys that were left out because they could reach a prototype. */
  readonly dropped: readonly string[];
}

/** Throws a Refusal for a value that is too deep or, aliases followed, too large. */
export function toPlain(value: unknown): PlainCopy {
  const dropped: string[] = [];
  let left = maxValues;

  const copy = (item: unknown, path: string, depth: number): Plain => {
    if (--left < 0)
      throw new Refusal("aliases", `It expands to more than ${maxValues} values. Write it without aliases.`);
    if (depth > maxDepth) throw new Refusal("too-deep", `Nested deeper than ${maxDepth} levels.`);
    if (Array.isArray(item)) return Object.freeze(item.map((part, i) => copy(part, `${path}[${i}]`, depth + 1)));
    if (typeof item === "object" && item !== null) return copyRecord(item, path, depth);
    if (typeof item === "number") return Number.isFinite(item) ? item : String(item);
    if (typeof item === "string" || typeof item === "boolean") return item;
    return null;
  };

  const copyRecord = (item: object, path: string, depth: number): PlainObject => {
    const copied: Record<string, Plain> = {};
    for (const [key, part] of Object.entries(item)) {
      const at = path === "" ? key : `${path}.${key}`;
      if (forbidden.has(key)) dropped.push(at);
      else copied[key] = copy(part, at, depth + 1);
    }
    return Object.freeze(copied);
  };

  return { value: copy(value, "", 0), dropped };
}

export function isPlainObject(value: Plain | undefined): value is PlainObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
