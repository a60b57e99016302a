// What Copilot needs in a sandbox: where it keeps its state, and which hosts it needs.

import { join } from "node:path";
import { homeFolder } from "../../lib/home-folder.ts";
import type { Environment } from "../process/child-environment.ts";
import { ruleOfUrl } from "../process/sandbox/allow-list.ts";
import type { OwnSettings, ProgramNeeds } from "../process/sandbox/program-sandbox.ts";

/** Each can start programs, or speaks to the agent, in the user's next session. */
function settingsIn(folder: string): readonly OwnSettings[] {
  return [
    { path: join(folder, "settings.json") },
    { path: join(folder, "lsp-config.json") },
    { path: join(folder, "mcp-config.json"), empty: '{ "mcpServers": {} }\n' },
    { path: join(folder, "copilot-instructions.md"), empty: "" },
    ...["agents", "hooks", "skills", "installed-plugins"].map((name) => ({ path: `${join(folder, name)}/` })),
  ];
}

const services = ["*.githubcopilot.com", "api.github.com", "github.com"];

export function copilotNeeds(environment: Environment): ProgramNeeds {
  const home = homeFolder(environment);
  const named = (variable: string): string | undefined => environment[variable] || undefined;
  const folder = named("COPILOT_HOME") ?? join(home, ".copilot");
  const cache = named("COPILOT_CACHE_HOME") ?? join(named("XDG_CACHE_HOME") ?? join(home, ".cache"), "copilot");
  const service = ruleOfUrl(environment["COPILOT_PROVIDER_BASE_URL"] ?? "");
  return {
    state: [`${folder}/`, `${cache}/`],
    settings: settingsIn(folder),
    hosts: service === undefined ? services : [...services, service],
  };
}
