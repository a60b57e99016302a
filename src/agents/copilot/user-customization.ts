// What the person's own configuration of Copilot has, without a project's: instructions, skills and agents. In a
// project that is not trusted the program must not look for such things itself, because it takes the person's and the
// project's together; so it is asked for the person's alone, and gets them as parts of the session's configuration.
// The person's hooks and MCP servers need no help: the program loads them in any case.

import { readFile } from "node:fs/promises";
import { messageOf } from "../../lib/errors.ts";
import type { SdkAgent, SdkClient, SdkCustomAgent } from "./sdk.ts";

export interface UserCustomization {
  readonly instructions: readonly string[];
  readonly skillDirectories: readonly string[];
  readonly agents: readonly SdkCustomAgent[];
  /** What could not be read, for the person. Nothing is lost but that part. */
  readonly problems: readonly string[];
}

export async function readUserCustomization({ rpc }: SdkClient): Promise<UserCustomization> {
  const problems: string[] = [];
  async function orNone<T>(what: string, read: () => Promise<readonly T[]>): Promise<readonly T[]> {
    try {
      return await read();
    } catch (thrown) {
      problems.push(`Your own ${what} of Copilot are left out, because they could not be read: ${messageOf(thrown)}`);
      return [];
    }
  }
  const [instructions, skillDirectories, agents] = await Promise.all([
    orNone("instructions", async () => (await rpc.instructions.discover({})).sources.map(({ content }) => content)),
    orNone("skills", async () => (await rpc.skills.getDiscoveryPaths({})).paths.map(({ path }) => path)),
    orNone("agents", async () => Promise.all((await rpc.agents.discover({})).agents.filter(isFile).map(customAgent))),
  ]);
  return { instructions, skillDirectories, agents, problems };
}

type FileAgent = SdkAgent & { path: string };

function isFile(agent: SdkAgent): agent is FileAgent {
  return agent.path !== undefined;
}

/** The program tells everything about an agent but its prompt, which is the file after the front matter. */
async function customAgent({
  path,
  id,
  displayName,
  description,
  tools,
  model,
  skills,
}: FileAgent): Promise<SdkCustomAgent> {
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
