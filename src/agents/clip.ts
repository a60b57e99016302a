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

/** How many texts of the longest kind a value may hold in all. */
const textsInValue = 16;
const maxDepth = 100;
const maxKeyChars = 256;

/** Characters that a value may still take. */
interface Room {
  chars: number;
}

/**
 * The same for every string inside a value, and for the value as a whole: a list of a million short texts is as long as
 * one long text. Says where something was left out. Shares what needs no cut.
 */
export function clipJson(value: Json, maxChars: number = maxOutputChars): Json {
  const chars = maxChars * textsInValue;
  // Nearly everything is short: looking costs less than copying.
  return fits(value, maxChars, { chars }, 0) ? value : cut(value, maxChars, { chars }, 0);
}

function fits(value: Json, maxChars: number, room: Room, depth: number): boolean {
  room.chars -= ownChars(value);
  if (room.chars < 0) return false;
  if (typeof value === "string") return value.length <= maxChars;
  if (typeof value !== "object" || value === null) return true;
  if (depth === maxDepth) return false;
  if (isArray(value)) return value.every((item) => fits(item, maxChars, room, depth + 1));
  for (const key in value) {
    room.chars -= ownChars(key);
    if (key.length > maxKeyChars || !fits(value[key] as Json, maxChars, room, depth + 1)) return false;
  }
  return true;
}

function cut(value: Json, maxChars: number, room: Room, depth: number): Json {
  const short = typeof value === "string" ? clip(value, maxChars) : value;
  room.chars -= ownChars(short);
  if (typeof short !== "object" || short === null) return short;
  if (depth === maxDepth) return "… more levels left out …";
  const items: Json[] = [];
  const fields: [string, Json][] = [];
  const entries = Object.entries(short);
  for (const [key, item] of entries) {
    if (room.chars <= 0) break;
    if (!isArray(short)) room.chars -= ownChars(key);
    const kept = cut(item, maxChars, room, depth + 1);
    if (isArray(short)) items.push(kept);
    else fields.push([clip(key, maxKeyChars), kept]);
  }
  const lost = entries.length - items.length - fields.length;
  if (isArray(short)) return lost === 0 ? items : [...items, `… ${lost} more left out …`];
  return Object.fromEntries(lost === 0 ? fields : [...fields, ["…", `${lost} more left out`]]);
}

/** About what it takes in JSON, without what is inside. */
function ownChars(value: Json): number {
  return typeof value === "string" ? value.length + 3 : 6;
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
