// What of git's configuration could start a program, and its replacement. A repository's configuration is a stranger's:
// filters, hooks, drivers, helpers and aliases in it are overruled, name by name, through GIT_CONFIG_COUNT and its keys
// and values. (`-c NAME=VALUE` splits at the first equals sign, and a filter may be called `a=b`.)

import { decodeUtf8 } from "../../lib/decode-utf8.ts";

export interface ConfigPair {
  readonly key: string;
  readonly value: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** New objects are on the disk before the call returns; those of `git add` with one wait in all. */
export const lastingObjects: readonly ConfigPair[] = [
  { key: "core.fsync", value: "committed,pack-metadata" },
  { key: "core.fsyncMethod", value: "batch" },
];

/** For what is thrown away or written once more. */
export const passingObjects: readonly ConfigPair[] = [{ key: "core.fsync", value: "none" }];

/** Holds in every call, whatever is configured. */
const fixed: Readonly<Record<string, string>> = {
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.attributesFile": "/dev/null",
  "core.pager": "cat",
  "core.safecrlf": "false",
  "core.logAllRefUpdates": "false",
  "core.splitIndex": "false",
  "commit.gpgSign": "false",
  "credential.helper": "",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "protocol.allow": "never",
  // A folder in a repository's work tree may look like a bare repository with its own configuration.
  "safe.bareRepository": "explicit",
  "status.submoduleSummary": "false",
  "submodule.recurse": "false",
};

/** Keys whose value git runs, by their last part, in whatever section they are. */
const programs: ReadonlySet<string> = new Set([
  "alternaterefscommand",
  "askpass",
  "clean",
  "cmd",
  "command",
  "defaultkeycommand",
  "difffilter",
  "driver",
  "editor",
  "event",
  "external",
  "fsmonitor",
  "gitproxy",
  "helper",
  "packobjectshook",
  "process",
  "program",
  "receivepack",
  "smudge",
  "sshcommand",
  "textconv",
  "tunnel",
  "uploadpack",
]);

/** Overrules what `git config --list --name-only -z` shows. A name that is not text can't be put into a variable. */
export function overrulePrograms(listed: Buffer): readonly ConfigPair[] | { readonly problem: string } {
  const text = decodeUtf8(listed, { keepsMark: true });
  if (text === undefined) return { problem: "the repository's configuration has a name that is not valid UTF-8" };
  const keys = new Set(text.split("\0").filter((key) => key !== ""));
  const pairs = [...keys].flatMap(overruled);
  if (pairs.length <= maxPairs) return pairs;
  return {
    problem: `the configuration names ${pairs.length} programs, and ${maxPairs} are the most that can be overruled`,
  };
}

/** Git takes a time that grows with the square of this: thousands would cost seconds in each call. */
const maxPairs = 1000;

/** `section.name`, or `section.anything at all.name`. Section and name come in lower case. */
function overruled(key: string): readonly ConfigPair[] {
  const section = key.slice(0, key.indexOf("."));
  const last = key.slice(key.lastIndexOf(".") + 1);
  const to = (value: string): ConfigPair[] => [{ key, value }];
  if (key.toLowerCase() in lowerFixed) return [];
  if (section === "pager" || last === "pager") return to("cat");
  if (section === "protocol" && last === "allow") return to("never");
  if (section === "filter" && last === "required") return to("false");
  if (section === "hook" && last === "enabled") return to("false");
  // With an empty command git would take one side of a merge for the result.
  if (section === "merge" && last === "driver") return to("git merge-file --marker-size=%L %A %O %B");
  if (section === "alias" || programs.has(last)) return to("");
  return [];
}

const lowerFixed = Object.fromEntries(Object.keys(fixed).map((key) => [key.toLowerCase(), true]));

const countVariable = "GIT_CONFIG_COUNT";

/** Variables of the user's that say where configuration is, or are some. */
const ownVariable = /^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|PARAMETERS|COUNT|KEY_\d+|VALUE_\d+)$/;

/** The user's own variables with ours after them: the last one counts. */
export function configVariables(user: Variables, pairs: readonly ConfigPair[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(user)) {
    if (value !== undefined && ownVariable.test(name)) variables[name] = value;
  }
  return withConfig(variables, [...Object.entries(fixed).map(([key, value]) => ({ key, value })), ...pairs]);
}

/** Those variables with more pairs after what they hold: the last one counts. */
export function withConfig(
  variables: Readonly<Record<string, string>>,
  pairs: readonly ConfigPair[],
): Record<string, string> {
  const all: Record<string, string> = { ...variables };
  const written = all[countVariable] ?? "";
  // Git reads it with strtoul, which takes spaces, a sign and zeros before it. Anything else makes git refuse to run.
  if (!/^(?:\s*(?:\+?\d+|-0+))?$/.test(written)) return all;
  const first = Number(written);
  pairs.forEach(({ key, value }, i) => {
    all[`GIT_CONFIG_KEY_${first + i}`] = key;
    all[`GIT_CONFIG_VALUE_${first + i}`] = value;
  });
  all[countVariable] = String(first + pairs.length);
  return all;
}
