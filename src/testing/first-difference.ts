// The first place where two JSON values differ, in words.

import { isJsonObject } from "../lib/is-record.ts";
import type { Json } from "../lib/json.ts";

/** Undefined if the values are equal. `path` is the name of the values. */
export function firstDifference(
  expected: Json | undefined,
  actual: Json | undefined,
  path: string,
): string | undefined {
  if (Object.is(expected, actual)) return undefined;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return (
      differenceOfParts(expected.entries(), actual, path, (place) => `[${place}]`) ?? extra(expected, actual, path)
    );
  }
  if (isJsonObject(expected) && isJsonObject(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    const pairs = [...keys].map((key) => [key, expected[key]] as const);
    return differenceOfParts(pairs, actual, path, (key) =>
      /^\w+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
    );
  }
  return `${path} is ${show(actual)} instead of ${show(expected)}`;
}

function differenceOfParts<K extends string | number>(
  expected: Iterable<readonly [K, Json | undefined]>,
  actual: Readonly<Record<K, Json | undefined>>,
  path: string,
  name: (key: K) => string,
): string | undefined {
  for (const [key, value] of expected) {
    const difference = firstDifference(value, actual[key], `${path}${name(key)}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function extra(expected: readonly Json[], actual: readonly Json[], path: string): string | undefined {
  if (actual.length <= expected.length) return undefined;
  return `${path} has ${actual.length} items instead of ${expected.length}: ${show(actual[expected.length])} is too much`;
}

function show(value: Json | undefined): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
