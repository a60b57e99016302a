// What the user's own configuration of Copilot has, without a project's: instructions, skills and agents. In a
// project that is not trusted the program must not look for such things itself, because it takes the user's and the
// project's together; so it is asked for the user's alone, and gets them as parts of the session's configuration.
// The user's hooks and MCP servers need no help: the program loads them in any case.
//
// In a trusted project the program looks for everything itself, with one exception: agents that a session brings along
// replace those it would find, so they are asked for, too, the project's included.

import { readFile } from "node:fs/promises";
import { messageOf } from "../../lib/errors.ts";
import type { FoundAgent, CopilotApi, CustomAgent } from "./copilot-protocol.ts";

export interface UserCustomization {
  readonly instructions: readonly string[];
  readonly skillDirectories: readonly string[];
  readonly agents: readonly CustomAgent[];
  /** What could not be read, for the user. Nothing is lost but that part. */
  readonly problems: readonly string[];
}

export async function readUserCustomization({ rpc }: CopilotApi): Promise<UserCustomization> {
  const problems: string[] = [];
  const [instructions, skillDirectories, agents] = await Promise.all([
    orNone("instructions", problems, async () =>
      (await rpc.instructions.discover({})).sources.map(({ content }) => content),
    ),
    orNone("skills", problems, async () => (await rpc.skills.getDiscoveryPaths({})).paths.map(({ path }) => path)),
    orNone("agents", problems, () => readAgents(rpc, [])),
  ]);
  return { instructions, skillDirectories, agents, problems };
}

/** The user's agents and those of a trusted project. */
export async function readAllAgents(
  { rpc }: CopilotApi,
  project: string,
): Promise<Pick<UserCustomization, "agents" | "problems">> {
  const problems: string[] = [];
  return { agents: await orNone("agents", problems, () => readAgents(rpc, [project])), problems };
}

async function orNone<T>(what: string, problems: string[], read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read();
  } catch (thrown) {
    problems.push(`Your own ${what} of Copilot are left out, because they could not be read: ${messageOf(thrown)}`);
    return [];
  }
}

async function readAgents(rpc: CopilotApi["rpc"], projectPaths: string[]): Promise<readonly CustomAgent[]> {
  const { agents } = await rpc.agents.discover(projectPaths.length === 0 ? {} : { projectPaths });
  return Promise.all(agents.filter(isFile).map(customAgent));
}

type FileAgent = FoundAgent & { path: string };

function isFile(agent: FoundAgent): agent is FileAgent {
  return agent.path !== undefined;
}

/** The program reports everything about an agent except its prompt, which is the file after the front matter. */
async function customAgent({
  path,
  id,
  displayName,
  description,
  tools,
  model,
  skills,
}: FileAgent): Promise<CustomAgent> {
  const file = await readFile(path, "utf8");
  return {
    name: id,
    displayName,
    description,
    prompt: file.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, "").trim(),
    ...(tools !== undefined && !tools.includes("*") && { tools }),
    ...(model !== undefined && { model }),
    ...(skills !== undefined && { skills }),
  };
}
