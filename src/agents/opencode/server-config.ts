// How a server is set up: what is added to the user's own configuration, and to their environment. OpenCode merges
// the configuration we pass over the user's files, so this holds only what must be so:
// - Nothing is shared, nothing updates itself, a declined question does not end a turn.
// - No permission is granted here: a rule for "*" would undo the user's own denials and those of OpenCode's read-only
//   agents. What it asks, this backend allows (turn-requests.ts).
// - An untrusted project starts nothing: no settings, plugins, MCP servers, agents or instructions of it; no skills of
//   its `.claude` and `.agents`; no language server or formatter, which run out of its node_modules.

import { isSystemError } from "../../lib/atomic-file.ts";
import { isJsonObject } from "../../lib/is-record.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { parseJsonc } from "../../lib/jsonc.ts";
import { homeFolder } from "../../lib/home-folder.ts";
import type { AgentDefinition } from "../port.ts";
import type { Environment } from "../process/child-environment.ts";
import { toolServerName } from "../tool-protocol.ts";
import { permissionConfig } from "./tool-permissions.ts";

export interface ServerNeeds {
  readonly isProjectTrusted: boolean;
  readonly subagents: readonly AgentDefinition[];
}

/** Where tools of this program can be called. */
export interface ToolAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A tool of ours may take long; its turn has its own limit. */
const toolCallLimitMs = 24 * 3_600_000;

/** The variables to add to `user`, which is the user's environment as a child of this program gets it. */
export function serverEnvironment(options: {
  readonly needs: ServerNeeds;
  readonly user: Environment;
  readonly folder: string;
  readonly password: string;
  readonly tools: ToolAddress | undefined;
}): Record<string, string> {
  const { needs, user, tools } = options;
  const own = parseUserContent(user["OPENCODE_CONFIG_CONTENT"]);
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(mergeConfig(own, serverConfig(needs, user, own, tools))),
    OPENCODE_SERVER_USERNAME: "opencode",
    OPENCODE_SERVER_PASSWORD: options.password,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    // An experiment that ends a turn before its work is done.
    OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: "0",
    // What a program takes for its folder when it is asked for one. The project is named in every call.
    PWD: options.folder,
    ...(!needs.isProjectTrusted && { OPENCODE_DISABLE_PROJECT_CONFIG: "1", OPENCODE_DISABLE_EXTERNAL_SKILLS: "1" }),
    ...(tools !== undefined && { NO_PROXY: withLoopback(user["NO_PROXY"]), no_proxy: withLoopback(user["no_proxy"]) }),
  };
}

function serverConfig(
  needs: ServerNeeds,
  user: Environment,
  own: JsonObject,
  tools: ToolAddress | undefined,
): JsonObject {
  const agents = Object.fromEntries(needs.subagents.map((agent) => [agent.name, subagentConfig(agent)]));
  return {
    share: "disabled",
    autoupdate: false,
    experimental: { continue_loop_on_deny: true },
    ...(needs.subagents.length > 0 && { agent: agents }),
    ...(tools !== undefined && {
      mcp: {
        [toolServerName]: {
          type: "remote",
          url: tools.url,
          headers: tools.headers,
          enabled: true,
          oauth: false,
          timeout: toolCallLimitMs,
        },
      },
    }),
    ...(!needs.isProjectTrusted && { lsp: false, formatter: false, ...ownSkills(user, own) }),
  };
}

function subagentConfig(agent: AgentDefinition): JsonObject {
  return {
    mode: "subagent",
    description: agent.description ?? agent.name,
    prompt: agent.prompt,
    ...(agent.model !== undefined && { model: agent.model }),
    ...(agent.tools !== undefined && { permission: permissionConfig(agent.tools) }),
  };
}

/**
 * One switch turns off the skills of the project's `.claude` and `.agents` together with those of the user's home,
 * so the latter are named one by one. A list in the user's own configuration would be replaced by it, and stays.
 */
function ownSkills(user: Environment, own: JsonObject): JsonObject {
  const config = join(user["XDG_CONFIG_HOME"] ?? join(homeOf(user), ".config"), "opencode");
  const files = ["opencode.json", "opencode.jsonc", "config.json"].map((name) => join(config, name));
  const custom = user["OPENCODE_CONFIG"];
  const hasOwnList =
    "skills" in own || [...files, ...(custom === undefined ? [] : [custom])].some((file) => mentionsSkills(file));
  const paths = [".claude", ".agents"]
    .map((name) => join(homeOf(user), name, "skills"))
    .filter((path) => existsSync(path));
  return hasOwnList || paths.length === 0 ? {} : { skills: { paths } };
}

function mentionsSkills(file: string): boolean {
  try {
    return /["']skills["']\s*:/.test(readFileSync(file, "utf8"));
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}

function homeOf(user: Environment): string {
  return homeFolder(user);
}

function parseUserContent(content: string | undefined): JsonObject {
  if (content === undefined || content.trim() === "") return {};
  try {
    // Programs that use the library under Node read plain JSON.
    const value: unknown = parseJsonc(content);
    if (isJsonObject(value)) return value;
    throw new Error("it is not an object");
  } catch (cause) {
    throw new AtomicError(
      "AGENT_UNAVAILABLE",
      `OPENCODE_CONFIG_CONTENT in your environment can't be used: ${messageOf(cause)}. Correct it, or unset it.`,
      { cause },
    );
  }
}

/** Objects are merged, anything else is replaced: as OpenCode merges its own files. */
function mergeConfig(base: JsonObject, over: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = merged[key];
    merged[key] =
      before !== undefined && isJsonObject(before) && isJsonObject(value) ? mergeConfig(before, value) : value;
  }
  return merged;
}

function withLoopback(list: string | undefined): string {
  return list === undefined || list === "" ? "127.0.0.1" : `${list},127.0.0.1`;
}
