// What a backend can do. No method of the port is optional: a capability is `true`, or the reason why not, and the
// call of something that is missing throws AGENT_CAPABILITY with that reason.

import { AtomicError } from "../lib/errors.ts";

/** Name → what a user would call it; the order is the order of the table in docs/agents.md. */
export const capabilityTexts = {
  streaming: "stream text as it is written",
  reasoning: "show the model's reasoning",
  effects: "change files and run commands",
  toolEvents: "report its tools",
  toolOutput: "report what its tools print",
  subagents: "run sub-agents and report their tree",
  questions: "ask the person during a turn",
  freeTextAnswers: "accept a free-text answer",
  declineQuestions: "continue after a declined question",
  interrupt: "stop a turn and keep the session",
  memory: "remember the earlier turns of a session",
  resume: "continue a session by id in a new process",
  modelChoice: "use a chosen model",
  modelServed: "report which model answered",
  models: "list models",
  usage: "count tokens",
  cost: "state a cost",
  contextUsage: "report how full the context is",
  compact: "compact a session on demand",
  toolServers: "list its tool servers (MCP) and switch them on and off",
  systemPrompt: "take instructions for a session",
  toolLimits: "limit an agent to some tools",
  shellRules: "limit an agent's commands by rules such as Bash(git:*)",
  toolRules: "limit what an agent's other tools do by rules",
  subagentDefinitions: "take definitions of sub-agents",
  inProcessTools: "use tools of this program",
  projectTrust: "leave out an untrusted project's settings",
  rateLimitReset: "report when a rate limit ends",
} as const satisfies Record<string, string>;

export type CapabilityName = keyof typeof capabilityTexts;

/** `true`, or why not. */
export type Capability = true | string;

export type Capabilities = Readonly<Record<CapabilityName, Capability>>;

/** Everything but what is named: most backends lack little. */
export function capabilitiesWithout(missing: Partial<Record<CapabilityName, string>>): Capabilities {
  const all: Partial<Record<CapabilityName, Capability>> = {};
  for (const name of capabilityNames) all[name] = missing[name] ?? true;
  return all as Capabilities;
}

export const capabilityNames = Object.keys(capabilityTexts) as readonly CapabilityName[];

/** Throws the typed refusal when the capability is missing. */
export function requireCapability(
  backend: { readonly kind: string; readonly capabilities: Capabilities },
  name: CapabilityName,
): void {
  const capability = backend.capabilities[name];
  if (capability === true) return;
  throw new AtomicError(
    "AGENT_CAPABILITY",
    `The agent "${backend.kind}" can't ${capabilityTexts[name]}: ${capability}.`,
    {
      details: { agent: backend.kind, capability: name },
    },
  );
}
