// What Claude Code needs in a sandbox: where it keeps its state, and which hosts it needs.

import { join } from "node:path";
import { homeFolder } from "../../lib/home-folder.ts";
import type { Environment } from "../process/child-environment.ts";
import { ruleOfUrl } from "../process/sandbox/allow-list.ts";
import type { OwnSettings, ProgramNeeds } from "../process/sandbox/program-sandbox.ts";

/** Each can start programs, or speaks to the agent, in the user's next session. */
function claudeSettings(folder: string): readonly OwnSettings[] {
  const folders = ["agents", "commands", "hooks", "output-styles", "plugins", "rules", "skills"];
  return [
    { path: join(folder, "settings.json"), empty: "{}\n" },
    { path: join(folder, "CLAUDE.md"), empty: "" },
    ...folders.map((name) => ({ path: `${join(folder, name)}/` })),
  ];
}

/** Holds servers that are started in every session. Usually it is beside the folder, where nothing may be written. */
function serversIn(folder: string): OwnSettings {
  return { path: join(folder, ".claude.json"), empty: "{}\n" };
}

const services = ["api.anthropic.com", "platform.claude.com", "console.anthropic.com", "claude.ai"];

export function claudeNeeds(environment: Environment): ProgramNeeds {
  const home = homeFolder(environment);
  const moved = environment["CLAUDE_CONFIG_DIR"] ?? "";
  const folder = moved === "" ? join(home, ".claude") : moved;
  const named = ruleOfUrl(environment["ANTHROPIC_BASE_URL"] ?? "");
  return {
    state: [`${folder}/`],
    settings: moved === "" ? claudeSettings(folder) : [...claudeSettings(folder), serversIn(folder)],
    hosts: named === undefined ? services : [...services, named],
  };
}
