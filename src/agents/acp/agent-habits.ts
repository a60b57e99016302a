// What the protocol leaves open and agents do differently, by the name an agent gives itself. Known from trying them;
// an agent that is not listed is assumed to do what the protocol's text suggests.

import { fieldsIn, textIn, type Fields } from "../fields.ts";

export interface AgentHabits {
  /** Reports its sub-agents in the way of the protocol's draft, which has no way to say so beforehand. */
  readonly reportsSubagents: boolean;
  /** Answers a prompt with the tokens of the whole session, not of the turn. */
  readonly totalsUsage: boolean;
  /** Mixes its remarks with the model's text, each in one piece that begins with `Error: `, `Warning: `, `Info: `. */
  readonly marksRemarks: boolean;
}

const habits: Readonly<Record<string, Partial<AgentHabits>>> = {
  "@agentclientprotocol/claude-agent-acp": { reportsSubagents: true },
  Copilot: { totalsUsage: true, marksRemarks: true },
};

/** `agent` is the answer to `initialize`. */
export function habitsOf(agent: Fields): AgentHabits {
  const name = textIn(fieldsIn(agent, "agentInfo"), "name") ?? "";
  return {
    reportsSubagents: false,
    totalsUsage: false,
    marksRemarks: false,
    ...(Object.hasOwn(habits, name) ? habits[name] : {}),
  };
}
