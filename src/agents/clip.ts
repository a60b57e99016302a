// Long text cut in the middle: the start says what was run, the end how it went.

import type { Json } from "../lib/json.ts";

/** Enough for a user and a prompt; small enough to pass through queues and screens by the thousand. */
export const maxOutputChars = 32_768;

export function clip(text: string, maxChars: number = maxOutputChars): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  // Neither cut may split a pair of surrogates.
  const head = isHighSurrogate(text, half - 1) ? half - 1 : half;
  const tail = isHighSurrogate(text, text.length - half - 1) ? text.length - half + 1 : text.length - half;
  return `${text.slice(0, head)}\n… ${tail - head} characters left out …\n${text.slice(tail)}`;
}

/** The same for every string inside a value. Shares what needs no cut. */
export function clipJson(value: Json, maxChars: number = maxOutputChars): Json {
  if (typeof value === "string") return clip(value, maxChars);
  // Nearly everything is short: looking costs less than copying.
  if (typeof value !== "object" || value === null || !hasLongText(value, maxChars)) return value;
  if (isArray(value)) return value.map((item) => clipJson(item, maxChars));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clipJson(item, maxChars)]));
}

function hasLongText(value: Json, maxChars: number): boolean {
  if (typeof value === "string") return value.length > maxChars;
  if (typeof value !== "object" || value === null) return false;
  if (isArray(value)) return value.some((item) => hasLongText(item, maxChars));
  for (const key in value) if (hasLongText(value[key] as Json, maxChars)) return true;
  return false;
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
