// Skills, commands and agents by name: those on disk, the built-in ones, and your own.

import { mkdirSync, writeFileSync } from "node:fs";
import {
  createEntityRegistry,
  createNodeEntities,
  entityRegistry,
  getCommandHint,
  getSubagentRegistry,
  initializeWorkflowsSDK,
  populateSubagentRegistry,
  setSubagentRegistry,
  SubagentTypeRegistry,
} from "atomic/workflows";

mkdirSync(".claude/agents", { recursive: true });
writeFileSync(".claude/agents/poet.md", "---\nname: poet\ndescription: Writes verse\n---\nYou write verse.\n");

// Finds everything in the project, the home folder and the program. Nodes look names up here from now on.
await initializeWorkflowsSDK({ projectPath: ".", userPath: "home" });
console.log(entityRegistry.getAgent("poet")?.description, entityRegistry.getSkill("ci")?.name);
console.log(getCommandHint("commit"), "|", getCommandHint("theme"));

// A registry of your own.
const own = createEntityRegistry();
own.register({
  type: "skill",
  name: "shout",
  description: "Shouts",
  prompt: "Shout: $ARGUMENTS",
  source: { provider: "atomic", location: "project" },
});
const entities = createNodeEntities(own); // pass it as `runtime.entities`
console.log(entities.skill("shout").prompt);
try {
  entities.skill("shuot");
} catch (error) {
  console.log(String(error));
}

// The names that sub-agents can be started by.
setSubagentRegistry(new SubagentTypeRegistry());
console.log(populateSubagentRegistry(entityRegistry.allAgents()) > 5, getSubagentRegistry().has("poet"));
