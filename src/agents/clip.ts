// Long text cut in the middle: the start says what was run, the end how it went.

import type { Json } from "../lib/json.ts";

/** Enough for a person and a prompt; small enough to pass through queues and screens by the thousand. */
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
  if (typeof value !== "object" || value === null) return value;
  let hasChanged = false;
  const visit = (item: Json): Json => {
    const clipped = clipJson(item, maxChars);
    if (clipped !== item) hasChanged = true;
    return clipped;
  };
  const copy = isArray(value)
    ? value.map(visit)
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item)]));
  return hasChanged ? copy : value;
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
