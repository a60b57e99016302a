// Which agents a run can have, by name, and what is reported about one on request. Making them is main.ts's work:
// only it knows the backends.

import type { AgentClient } from "../agents/port.ts";
import type { ProgramSandbox } from "../agents/process/sandbox/program-sandbox.ts";
import { nearest } from "../lib/did-you-mean.ts";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";

export interface AgentSpec {
  /** As `parseAgentKind` gives it. */
  readonly kind: string;
  /** What `scripted` and `replay` play: an absolute path. */
  readonly script?: string | undefined;
  /** Where to record what the agent does: an absolute path. */
  readonly record?: string | undefined;
  /** Paths of programs from the user's own settings, by kind. */
  readonly programs: Readonly<Record<string, string | undefined>>;
  /** The sandbox for its programs; absent: none. */
  readonly sandbox?: ProgramSandbox | undefined;
  /** Where the programs it starts are recorded, so that the next start can end what a killed process left. */
  readonly processesDir: string;
  /** Where an agent without its own program stores the memory of its sessions. */
  readonly memoryDir: string;
}

export type MakeAgent = (spec: AgentSpec) => Promise<AgentClient>;

const plainKinds = ["claude", "opencode", "copilot", "scripted", "replay"] as const;

/** `claude`, `opencode`, `copilot`, `acp:<command>`, `scripted` or `replay`. Throws AGENT_UNKNOWN for anything else. */
export function parseAgentKind(name: string): string {
  const kind = name.trim();
  if (/^acp:\s*\S/.test(kind)) return kind;
  const plain = kind.toLowerCase();
  if (plainKinds.some((known) => known === plain)) return plain;
  const near = nearest(plain, plainKinds);
  const hint = near === undefined ? "" : ` (did you mean "${near}"?)`;
  throw new AtomicError(
    "AGENT_UNKNOWN",
    `There is no agent "${safeLine(name, 60)}"${hint}. Choose ${plainKinds.join(", ")} or acp:COMMAND.`,
    { details: { agent: name } },
  );
}

/**
 * Agents in order of preference: `claude,opencode,copilot`. A comma inside the command of an ACP agent is part of it,
 * as long as no name of an agent follows.
 */
export function parseAgentOrder(written: string): readonly [string, ...string[]] {
  const names = written.split(/,(?=\s*(?:claude|opencode|copilot|scripted|replay|acp:))/i);
  const isList = names.length === 1 && !/^\s*acp:/.test(written) && written.includes(",");
  const [first = "", ...others] = (isList ? written.split(",") : names).map(parseAgentKind);
  const duplicate = others.find((kind, index) => kind === first || others.indexOf(kind) !== index);
  if (duplicate === undefined) return [first, ...others];
  throw new AtomicError("USAGE", `The agent ${duplicate} is named twice in "${safeLine(written, 80)}".`);
}

/** Plays a file instead of asking a model. */
export function playsScript(kind: string): boolean {
  return kind === "scripted" || kind === "replay";
}
