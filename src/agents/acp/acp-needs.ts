// What agents behind `acp:` need in a sandbox. The protocol does not say, so those that are known by the name of their
// program are listed here; the state of others is named by the setting sandbox.write, their hosts by sandbox.hosts.

import { join } from "node:path";
import { homeFolder } from "../../lib/home-folder.ts";
import { claudeNeeds } from "../claude/claude-needs.ts";
import { opencodeNeeds } from "../opencode/opencode-needs.ts";
import type { Environment } from "../process/child-environment.ts";
import { ruleOfUrl } from "../process/sandbox/allow-list.ts";
import type { ProgramNeeds } from "../process/sandbox/program-sandbox.ts";

const known: readonly (readonly [name: RegExp, needs: (environment: Environment) => ProgramNeeds])[] = [
  [/claude/i, claudeNeeds],
  [/opencode/i, opencodeNeeds],
  [/gemini/i, geminiNeeds],
  [/codex/i, codexNeeds],
];

/** `kind`: `acp:` and the command. */
export function acpNeeds(kind: string, environment: Environment): ProgramNeeds {
  const found = known.find(([name]) => name.test(kind));
  return found?.[1](environment) ?? { state: [], hosts: [] };
}

function geminiNeeds(environment: Environment): ProgramNeeds {
  const folder = join(homeFolder(environment), ".gemini");
  const named = ruleOfUrl(environment["GOOGLE_GEMINI_BASE_URL"] ?? "");
  const services = ["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"];
  return {
    state: [`${folder}/`],
    settings: [
      { path: join(folder, "settings.json"), empty: "{}\n" },
      { path: join(folder, "GEMINI.md"), empty: "" },
      ...["commands", "extensions"].map((name) => ({ path: `${join(folder, name)}/` })),
    ],
    hosts: named === undefined ? services : [...services, named],
  };
}

function codexNeeds(environment: Environment): ProgramNeeds {
  const folder = environment["CODEX_HOME"] || join(homeFolder(environment), ".codex");
  const named = ruleOfUrl(environment["OPENAI_BASE_URL"] ?? "");
  const services = ["api.openai.com", "chatgpt.com", "auth.openai.com"];
  return {
    state: [`${folder}/`],
    settings: [
      { path: join(folder, "config.toml"), empty: "" },
      { path: join(folder, "AGENTS.md"), empty: "" },
      ...["prompts", "skills"].map((name) => ({ path: `${join(folder, name)}/` })),
    ],
    hosts: named === undefined ? services : [...services, named],
  };
}
