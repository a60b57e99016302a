// The session `main` of a run on a real program: what the agent remembers after the run waited in between, and whose
// tools and instructions each turn has.

import assert from "node:assert/strict";
import { startedId, type RalphCase } from "./ralph-world.ts";

const source = `import { agentNode, askUserNode, graph } from "atomic/workflows";
export const name = "talk";
export const prompt = "none";
export default () => graph()
  .start(agentNode({ id: "tell", agent: "looker", prompt: "The colour is blue. @@session-tell" }))
  .then(askUserNode({ id: "wait", question: "Go on?" }))
  .then(agentNode({ id: "recall", prompt: "Which colour? @@session-recall" }));
`;

export const sessionCases: readonly RalphCase[] = [
  {
    name: "the session main continues after a wait in another process, as another agent with other tools",
    async run(world) {
      const project = world.newProject("talk");
      world.workflow("talk", source);
      world.write("home/.atomic/agents/looker.md", "---\ntools: Read\n---\nYou only look, says quinquereme.");
      const first = await world.start(["run", "talk", "-a", world.program], { cwd: project }).ended;
      const id = startedId(first.stderr, "Talk");
      assert.equal(first.exitCode, 4, first.stderr);
      assert.equal((await world.start(["answer", id, "yes"], { cwd: project }).ended).exitCode, 0);
      const resumed = await world.start(["resume", id], { cwd: project }).ended;

      assert.equal(resumed.exitCode, 0, resumed.stderr);
      assert.match(resumed.stdout, /I remember 2 prompts\./);
      const [tell] = world.asked("@@session-tell");
      const [recall] = world.asked("@@session-recall");
      assert.ok(JSON.stringify(tell?.body).includes("quinquereme"), "the agent's instructions reach the model");
      const tools = (seen: typeof tell): number => seen?.request?.tools.length ?? 0;
      assert.ok(tools(tell) < tools(recall), `${tools(tell)} tools for the agent, ${tools(recall)} without it`);
    },
  },
];
