// Masks secrets (secrets.ts finds them), so that none reaches a state, a journal or a log. By value: wherever the text
// of a secret occurs, even where a text was cut in the middle of one.

import { findSecrets, minLongSecretChars, type Secret, type Variables } from "./secrets.ts";

/** Undefined when there is nothing to mask, so that callers can skip the work. `names`: see findSecrets. */
export function createRedactor(
  variables: Variables,
  names: readonly string[] = [],
): ((text: string) => string) | undefined {
  return redactorOf(findSecrets(variables, names));
}

function redactorOf(secrets: readonly Secret[]): ((text: string) => string) | undefined {
  if (secrets.length === 0) return undefined;
  const labels = new Map(secrets.map(({ text, name }) => [text, `[masked ${name}]`]));
  const pattern = patternOf(secrets.map(({ text }) => text));
  const long = secrets.filter(({ text }) => text.length > minPartChars);
  return (text) => {
    if (text.length === 0) return text;
    const masked = text.replace(pattern, (secret) => labels.get(secret) ?? "[masked]");
    return masked.length < minPartChars ? masked : maskCuts(masked, long);
  };
}

/** For text that arrives in pieces: a secret may be split between any two of them. */
export interface StreamRedactor {
  /** The text that may be shown now. Its end is held back while it could be the beginning of a secret. */
  push(piece: string): string;
  /** The rest, at the end of the text. */
  end(): string;
}

/** Undefined when there is nothing to mask. */
export function createStreamRedactors(
  variables: Variables,
  names: readonly string[] = [],
): (() => StreamRedactor) | undefined {
  const found = findSecrets(variables, names);
  const redact = redactorOf(found);
  if (redact === undefined) return undefined;
  const secrets = found.map(({ text }) => text);
  const pattern = patternOf(secrets);
  return () => {
    let held = "";
    return {
      push(piece) {
        const text = held + piece;
        let cut = text.length - possibleSecretLength(text, secrets);
        // Never cut through a complete secret.
        for (const { index, 0: secret } of text.matchAll(pattern)) {
          if (index < cut && cut < index + secret.length) cut = index + secret.length;
        }
        held = text.slice(cut);
        return redact(text.slice(0, cut));
      },
      end() {
        const rest = redact(held);
        held = "";
        return rest;
      },
    };
  };
}

/**
 * How many characters at the end of the text could start a secret, or be a short secret that is the prefix of another.
 */
function possibleSecretLength(text: string, secrets: readonly string[]): number {
  let longest = 0;
  for (const secret of secrets) {
    const most = secret.length < minLongSecretChars ? secret.length : secret.length - 1;
    for (let length = Math.min(most, text.length); length > longest; length--) {
      if (text.endsWith(secret.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** A shorter part of a secret may be ordinary text. */
const minPartChars = 8;

/** What clip.ts in src/agents inserts where it cuts a text. */
const leftOut = /(\n… \d+ characters left out …\n)/;

/** Long texts are cut before they come here, perhaps through a secret: its rest at the cut is masked too. */
function maskCuts(text: string, secrets: readonly Secret[]): string {
  const parts = text.includes(" characters left out …") ? text.split(leftOut) : [text];
  return parts.map((part, i) => (i % 2 === 1 ? part : maskEnds(part, secrets))).join("");
}

function maskEnds(part: string, secrets: readonly Secret[]): string {
  let text = part;
  for (const { text: secret, name } of secrets) {
    const head = secret.slice(0, minPartChars);
    for (let at = text.lastIndexOf(head); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(head, at - 1)) {
      if (text.length - at >= secret.length) break;
      if (secret.startsWith(text.slice(at))) text = `${text.slice(0, at)}[masked ${name}]`;
    }
    const tail = secret.slice(-minPartChars);
    for (let at = text.indexOf(tail); at !== -1; at = text.indexOf(tail, at + 1)) {
      const end = at + tail.length;
      if (end >= secret.length) break;
      if (secret.endsWith(text.slice(0, end))) text = `[masked ${name}]${text.slice(end)}`;
    }
  }
  return text;
}

/** The longest first: one secret may be the beginning of another. Short ones count as whole words only. */
function patternOf(secrets: readonly string[]): RegExp {
  const sorted = secrets.toSorted((a, b) => b.length - a.length);
  const each = sorted.map((secret) =>
    secret.length < minLongSecretChars
      ? `(?<![\\p{L}\\p{N}])${escapePattern(secret)}(?![\\p{L}\\p{N}])`
      : escapePattern(secret),
  );
  return new RegExp(each.join("|"), "gu");
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
