// Agents that were found are offered to the running agent as its sub-agents. A program that takes no definitions gets
// none, and the run names those that the user defined.

import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFakeAgent } from "../support/fake-acp-agent.ts";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

test("an agent that takes no definitions is named with the agents it is not offered", async () => {
  const world = createCliWorld();
  world.write("home/.claude/agents/carpenter.md", "---\ndescription: Writes files\n---\nYou write files.\n");
  world.write("project/.claude/agents/joiner.md", "---\ndescription: Joins\n---\nYou join.\n");
  world.write("project/.atomic/workflows/plain.ts", 'export const name = "plain";\n');
  world.workflow("ask", 'export const name = "ask";\nexport const prompt = "required";\n');
  const acp = `acp:${writeFakeAgent(world.root, {})}`;
  const run = await world.run(["run", "ask", "work", "-a", acp, "--trust", "--json"]);
  expect(run.exitCode).toBe(0);
  expect(run.events().filter(({ type }) => type === "agent.subagents-ignored")).toMatchObject([
    { backend: acp, agents: ["carpenter", "joiner"] },
  ]);
  const shown = await world.run(["run", "ask", "work", "-a", acp, "--trust"]);
  expect(shown.stderr).toMatch(/can't be offered the sub-agents carpenter, joiner: the protocol takes none/);

  // Nothing to say where there are only those that come with the program.
  const bare = createCliWorld();
  bare.workflow("ask", 'export const name = "ask";\n');
  const quiet = await bare.run(["run", "ask", "work", "-a", acp, "--trust"]);
  expect(quiet.exitCode).toBe(0);
  expect(quiet.stderr).not.toContain("sub-agents");
});

test("a chat names them once, also when it is continued", async () => {
  const world = createCliWorld();
  world.write("home/.claude/agents/carpenter.md", "---\ndescription: Writes files\n---\nYou write files.\n");
  const acp = `acp:${writeFakeAgent(world.root, {})}`;
  const say = async (lines: readonly string[], ...words: readonly string[]): Promise<string> => {
    const live = world.start(["chat", "--plain", "--trust", "-a", acp, ...words], { stdin: "pipe" });
    for (const line of lines) live.type(line);
    live.end();
    return (await live.ended).stderr;
  };
  const notice = "can't be offered the sub-agents carpenter: the protocol takes none";
  const said = await say(["one", "two", "/carpenter three"]);
  expect(said.split(notice)).toHaveLength(2);
  expect(said).toContain("Call one yourself, for example /carpenter.");
  expect(said).not.toContain("[turn failed]");
  // The conversation so far is shown again, with the notice in it; a second one does not come.
  const continued = await say(["four"], "--resume", world.onlyRun());
  expect(continued.split(notice)).toHaveLength(2);
  expect(continued.indexOf(notice)).toBeLessThan(continued.indexOf("Chat with"));
});
