// The types of agents that every program knows by name. `agentType` on a node picks one of them for its turns; any other
// word there is the name of an agent definition, as `agent` is.

const agentTypes: ReadonlySet<string> = new Set(["claude", "opencode", "copilot", "scripted", "replay"]);

export function isAgentType(name: string): boolean {
  return agentTypes.has(name.toLowerCase()) || name.startsWith("acp:");
}
