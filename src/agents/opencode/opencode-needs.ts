// What OpenCode needs in a sandbox: where it keeps its state, and which hosts it needs. Its configuration holds
// plugins and servers that it starts, and stays read-only with everything that is not named here.

import { join } from "node:path";
import { homeFolder } from "../../lib/home-folder.ts";
import type { Environment } from "../process/child-environment.ts";
import { ruleOfUrl } from "../process/sandbox/allow-list.ts";
import type { ProgramNeeds } from "../process/sandbox/program-sandbox.ts";

const services = [
  "opencode.ai",
  "api.opencode.ai",
  "models.dev",
  "api.anthropic.com",
  "api.openai.com",
  "openrouter.ai",
  "generativelanguage.googleapis.com",
];

export function opencodeNeeds(environment: Environment): ProgramNeeds {
  const home = homeFolder(environment);
  const folder = (variable: string, usual: string): string => {
    const moved = environment[variable] ?? "";
    return `${join(moved === "" ? join(home, usual) : moved, "opencode")}/`;
  };
  const named = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"].flatMap((name) => ruleOfUrl(environment[name] ?? "") ?? []);
  return {
    state: [
      folder("XDG_DATA_HOME", ".local/share"),
      folder("XDG_STATE_HOME", ".local/state"),
      folder("XDG_CACHE_HOME", ".cache"),
    ],
    hosts: [...services, ...named],
  };
}
