// Finds secrets: the values of variables whose names say so, and what looks like a secret in any variable's value (a
// password in a URL, a key in a connection string, a private key). redact.ts masks them.

import { existsSync } from "node:fs";

export type Variables = Readonly<Record<string, string | undefined>>;

export interface Secret {
  readonly text: string;
  /** The variable it was found in. */
  readonly name: string;
}

/** Anywhere in a name: these parts occur only in names of secrets. */
const tellingPart =
  /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION|MASTER|ACCOUNT|AUTH|DEPLOY|SERVICE)_?KEY/i;

/** Only as a whole word of a name: `DB_PASS`, `dbPass`, `GITHUB_PAT`, not `COMPASS`, `PATH` or `KEYBOARD`. */
const tellingWord =
  /^(?:PASS|PWD|PW|PSW|PAT|KEY|AUTH|AUTHORIZATION|CRED|CREDS|BEARER|JWT|COOKIE|DSN|WEBHOOK|PSK|OTP|SAS|SIG|SIGNATURE|SALT|PIN)$/i;

/** `DBPASS`, not `COMPASS`, nor a program that asks for a password. */
const tellingEnd = /^(?!BY|COM|TRES|SUR|ASK|OVER|UNDER)\w+PASS$/i;

/** The shell's working folders, public keys, and properties of a key, such as `CACHE_KEY_PREFIX`. */
const harmless =
  /^(?:OLD)?PWD$|PUB(?:LIC|LISHABLE)?_?KEY|_(?:PREFIX|NAME|TYPE|SIZE|LENGTH|ALGORITHM|FORMAT|TTL|TIMEOUT|MODE|METHOD|PROVIDER|PORT|HOST)$/i;

/** Values that are never secrets, whatever their name; masking them would garble ordinary text. */
const ordinary: ReadonlySet<string> = new Set(
  "true false none null undefined default disabled enabled test testing local localhost example development production staging admin administrator root user guest postgres mysql mariadb redis mongo rabbitmq password passwd secret changeme token anonymous public private".split(
    " ",
  ),
);

/** Shorter values are found as whole words only; see redact.ts. */
export const minLongSecretChars = 6;
const minSecretChars = 4;
const minNumberDigits = 6;
const maxNesting = 4;

/** `names`: further variables that hold secrets; `*` stands for any rest. */
export function findSecrets(variables: Variables, names: readonly string[] = []): readonly Secret[] {
  const isNamed = named(names);
  const found = new Map<string, string>();
  const add = (text: string, name: string, least: number): void => {
    for (const form of formsOf(text.trim())) {
      if (form.length >= least && !found.has(form)) found.set(form, name);
    }
  };
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined || value === "") continue;
    if (isNamed(name)) add(value, name, 1);
    else if (isSecretName(name) && isSecretValue(name, value)) add(value, name, minSecretChars);
    for (const part of secretParts(value, 0)) if (isUnusual(part)) add(part, name, minSecretChars);
  }
  return [...found].map(([text, name]) => ({ text, name }));
}

function named(names: readonly string[]): (name: string) => boolean {
  const wanted = names.map((name) => name.trim().toUpperCase()).filter((name) => name !== "");
  return (name) => {
    const upper = name.toUpperCase();
    return wanted.some((each) => (each.endsWith("*") ? upper.startsWith(each.slice(0, -1)) : upper === each));
  };
}

function isSecretName(name: string): boolean {
  if (tellingPart.test(name)) return true;
  if (harmless.test(name)) return false;
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").split(/[^A-Za-z\d]+/);
  return words.some((word) => tellingWord.test(word) || tellingEnd.test(word));
}

/** Under a name that may also refer to a file (`SSH_KEY`), a path is not a secret. */
function isSecretValue(name: string, value: string): boolean {
  if (!isUnusual(value.trim())) return false;
  return tellingPart.test(name) || !/^[~/.]/.test(value) || !existsSync(value);
}

function isUnusual(value: string): boolean {
  if (/^\d+$/.test(value)) return value.length >= minNumberDigits;
  return !ordinary.has(value.toLowerCase());
}

/** The forms it may have inside other text: escaped in JSON, encoded in a URL, decoded from one, line by line. */
function formsOf(text: string): readonly string[] {
  const forms = [text, JSON.stringify(text).slice(1, -1)];
  for (const convert of [encodeURIComponent, decodeURIComponent]) forms.push(...converted(text, convert));
  const lines = text.split(/\r?\n/);
  // The lines of a private key, without its well-known header.
  if (lines.length > 1) forms.push(...lines.filter((line) => line.length >= 16 && !line.startsWith("-----")));
  return forms;
}

/** Empty for text that can't be converted: a percent sign that encodes nothing, half of a surrogate pair. */
function converted(text: string, convert: (text: string) => string): readonly string[] {
  try {
    return [convert(text)];
  } catch (thrown) {
    if (thrown instanceof URIError) return [];
    throw thrown;
  }
}

const urlPassword = /[a-z][a-z\d+.-]*:\/\/[^\s:@/]*:([^\s/]+)@/gi;
/** A password that contains an unencoded slash. */
const roughUrlPassword = /[a-z][a-z\d+.-]*:\/\/[^\s:@/]*:(?!\d{1,5}[/?#])(\S+)@/gi;
const urlToken = /[a-z][a-z\d+.-]*:\/\/([^\s:@/]{16,})@/gi;
/** In a connection string, or in the query of a URL. */
const pair =
  /(?:^|[;&?\s,])(?:[\w-]*(?:password|passwd|pwd|token|secret|credential|signature|(?:api|access|account)[_-]?key)|sig|pass)\s*=\s*([^\s;&,"']+)/gi;
const header = /^(?:Bearer|Basic|token)\s+(\S+)$/gi;
const knownTokens =
  /\b(?:gh[opusr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|sk-[\w-]{16,}|[rs]k_(?:live|test)_\w{10,}|xox[a-z]-[\w-]{10,}|npm_\w{30,}|AKIA[A-Z\d]{16}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+)/g;
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** The parts of a value that look like secrets. */
function secretParts(value: string, level: number): readonly string[] {
  const first = (pattern: RegExp): string[] => [...value.matchAll(pattern)].flatMap((match) => match[1] ?? []);
  const whole = (pattern: RegExp): string[] => [...value.matchAll(pattern)].map(([text]) => text);
  return [
    ...[urlPassword, roughUrlPassword, urlToken, pair, header].flatMap(first),
    ...[knownTokens, privateKey].flatMap(whole),
    ...(/^\s*[[{]/.test(value) && level < maxNesting ? partsOfJson(value, level) : []),
  ];
}

/** A service account in one variable: each field is treated as a variable. */
function partsOfJson(text: string, level: number): readonly string[] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return [];
    throw thrown;
  }
  const parts: string[] = [];
  const visit = (value: unknown, name: string, depth: number): void => {
    if (typeof value === "string") {
      if (isSecretName(name) && isSecretValue(name, value)) parts.push(value);
      parts.push(...secretParts(value, level + 1));
    } else if (typeof value === "object" && value !== null && depth < maxNesting) {
      for (const [key, each] of Object.entries(value)) visit(each, Array.isArray(value) ? name : key, depth + 1);
    }
  };
  visit(data, "", 0);
  return parts;
}
