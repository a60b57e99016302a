// Agents as people publish them: with display names and lists of models. All of them load, and can be used.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const agents = {
  "CSharpExpert.agent.md": "name: C# Expert\ndescription: Knows C#",
  "se-security-reviewer.agent.md": "name: 'SE: Security'\ndescription: Reviews",
  "salesforce-aura-lwc.agent.md": "name: 'Salesforce UI (Aura & LWC)'\ndescription: Builds",
  "ui-ux.agent.md": "name: UI/UX Designer\nmodel: [GPT-5 (copilot), Claude Haiku 4.5 (copilot), Claude Opus 4.5]",
};
for (const [file, fields] of Object.entries(agents))
  world.write(`project/.github/agents/${file}`, `---\n${fields}\n---\nYou help.\n`);

interface Row {
  readonly name: string;
  readonly label?: string;
  readonly location: string;
}

test("published agents load under a name that can be typed, and keep their own as a label", async () => {
  const listed = await world.run(["agents", "--json"]);
  const { found, problems } = JSON.parse(listed.stdout) as { found: Row[]; problems: object[] };

  expect(problems).toEqual([]);
  expect(found.filter(({ location }) => location === "project").map(({ name, label }) => [name, label])).toEqual([
    ["csharpexpert", "C# Expert"],
    ["salesforce-aura-lwc", "Salesforce UI (Aura & LWC)"],
    ["se-security-reviewer", "SE: Security"],
    ["ui-ux", "UI/UX Designer"],
  ]);
  expect((await world.run(["agents"])).stdout).toContain("C# Expert: Knows C#");
  expect((await world.run(["agents", "C# Expert"])).stdout).toContain("csharpexpert");
});

test("of several models the first that the agent's program has counts", async () => {
  world.workflow(
    "design",
    `import { graph, subagentNode } from "atomic/workflows";
export const name = "design";
export const prompt = "none";
export default () => graph().start(subagentNode({ id: "draw", agent: "UI/UX Designer", task: "draw" }));
`,
  );
  const script = world.script("design", [{ agent: "ui-ux", steps: [{ say: "drawn" }] }]);
  const ended = await world.run(["run", "design", "--script", script, "--json"]);

  expect(ended.exitCode).toBe(0);
  expect(ended.events().find(({ type }) => type === "agent.turn-started")).toMatchObject({ modelAsked: "haiku" });
});
