// What an ACP agent can do. The protocol decides some of it for all agents; an agent reports the rest when it is
// started and when a session is opened, or shows it by what it does. Until then it is assumed to be able: `open`
// checks again when the agent has reported it.

import { capabilitiesWithout, type Capabilities, type CapabilityName } from "../capabilities.ts";
import { fieldsIn, type Fields } from "../fields.ts";
import { habitsOf } from "./agent-habits.ts";
import type { SessionSettings } from "./session-settings.ts";

export interface AcpCapabilities {
  readonly current: Capabilities;
  /** From the answer to `initialize`. */
  initialized(agent: Fields): void;
  /** From the answer that opened a session. */
  opened(settings: SessionSettings): void;
  /** The commands that the agent offers to the user. */
  commands(names: readonly string[]): void;
  /** Records how a turn ended, which shows what the agent reports. */
  turned(seen: { readonly hasUsage: boolean; readonly hasCost: boolean; readonly hasContext: boolean }): void;
  /** A sub-agent was reported. */
  sawSubagent(): void;
}

const unreported = "the protocol (version 1) has no field for it, and this agent adds none";

/** Of the protocol, whatever the agent. */
const never: Partial<Record<CapabilityName, string>> = {
  modelServed: "the protocol does not say which model answered",
  toolLimits: "the protocol can't name the tools an agent may use",
  shellRules: "the protocol can't name the tools an agent may use",
  toolRules: "the protocol can't name the tools an agent may use",
  subagentDefinitions: "the protocol takes none",
  toolServers: "the protocol does not report the agent's own servers",
  projectTrust: "the protocol has no option for it; the agent is only started in trusted projects",
};

export function createAcpCapabilities(): AcpCapabilities {
  const missing: Partial<Record<CapabilityName, string>> = { ...never };
  let current = capabilitiesWithout(missing);
  let hasSeenSubagent = false;
  let hasSeenCommands = false;

  function note(name: CapabilityName, isThere: boolean, reason: string): void {
    if (isThere) delete missing[name];
    else missing[name] = reason;
    current = capabilitiesWithout(missing);
  }

  return {
    get current() {
      return current;
    },
    initialized(answer) {
      const agent = fieldsIn(answer, "agentCapabilities");
      const canResume = agent["loadSession"] === true || has(fieldsIn(agent, "sessionCapabilities"), "resume");
      note("resume", canResume, "it says that it can't load sessions");
      note("inProcessTools", fieldsIn(agent, "mcpCapabilities")["http"] === true, "it takes no tools over HTTP");
      note("subagents", hasSeenSubagent || habitsOf(answer).reportsSubagents, unreported);
      // Commands come some time after a session is opened: until then, what an earlier session announced holds.
      if (!hasSeenCommands) note("compact", false, "it offers no command named compact");
    },
    opened({ models }) {
      note("models", models.length > 0, "it offers none to choose from");
      note("modelChoice", models.length > 0, "it offers none to choose from");
    },
    commands(names) {
      hasSeenCommands = true;
      note("compact", names.includes("compact"), "it offers no command named compact");
    },
    turned({ hasUsage, hasCost, hasContext }) {
      note("usage", hasUsage, "it reports no tokens");
      note("cost", hasCost, "it states no cost");
      note("contextUsage", hasContext, "it does not say how full its context is");
    },
    sawSubagent() {
      hasSeenSubagent = true;
      note("subagents", true, "");
    },
  };
}

/** A capability is an object, possibly empty; null and undefined mean it is absent. */
export function has(fields: Fields, name: string): boolean {
  return typeof fields[name] === "object" && fields[name] !== null;
}
