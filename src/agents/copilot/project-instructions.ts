// Keeps a project's instruction files from the sub-agents of a session. A session in a project that is not trusted is
// configured to read none, but its sub-agents still read them unless each is disabled by name. So they are named,
// anew for every turn: a turn may bring new ones, by checking out a branch or by writing them.

import { join, parse } from "node:path";
import { messageOf } from "../../lib/errors.ts";
import type { CopilotSessionApi } from "./copilot-protocol.ts";

const files = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/** To be called before a turn. Resolves to what could not be done, for the user. */
export function projectInstructionsFilter({ rpc }: CopilotSessionApi, cwd: string): () => Promise<readonly string[]> {
  let leftOut = "";
  return async () => {
    try {
      const { sources } = await rpc.instructions.getSources();
      const theirs = sources.filter(({ location }) => location !== "user" && location !== "plugin").map(({ id }) => id);
      const disabledInstructionSources = [...new Set([...possibleSources(cwd), ...theirs])];
      const names = disabledInstructionSources.join("\n");
      if (names !== leftOut) await rpc.options.update({ disabledInstructionSources });
      leftOut = names;
      return [];
    } catch (thrown) {
      return [`Sub-agents of Copilot may read this project's instruction files: ${messageOf(thrown)}`];
    }
  };
}

/**
 * The names of those that any project could have, whether they are there now or not. Where there is no repository a
 * sub-agent names them after their path below the folder of its program, which is the root (copilot-runtime.ts).
 */
function possibleSources(cwd: string): readonly string[] {
  const below = cwd.slice(parse(cwd).root.length);
  return [
    "repo-copilot",
    "cwd-copilot",
    ...files.map((file) => `model-${slug(file)}`),
    ...files.map((file) => `cwd-model-${slug(join(below, file))}`),
  ];
}

function slug(path: string): string {
  return path.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}
