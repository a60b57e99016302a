// Which agent a first chat talks to, when neither a flag nor the settings name one: what is installed here, a choice when
// there are several, and with none the embedded agent, which says how to install another.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BackendReport } from "../../agents/port.ts";
import { writeFileAtomically } from "../../lib/atomic-file.ts";
import { playsScript } from "../agents.ts";

export type FirstAgent =
  | { readonly kind: "found"; readonly agent: string }
  | { readonly kind: "choose"; readonly agents: readonly string[] }
  /** Nothing can be used: the embedded agent plays this script. */
  | { readonly kind: "none"; readonly script: string };

export function firstAgent(reports: readonly BackendReport[], atomicHome: string): FirstAgent {
  const agents = reports.filter(({ isUsable, kind }) => isUsable && !playsScript(kind)).map(({ kind }) => kind);
  const [only, ...more] = agents;
  if (only === undefined) return { kind: "none", script: writeWelcome(atomicHome) };
  return more.length === 0 ? { kind: "found", agent: only } : { kind: "choose", agents };
}

const welcome = [
  "No coding agent was found on this machine, so this is the embedded one. It is not a model: this is all it says.",
  "",
  "Install one of these, log in, and start `atomic` again:",
  "",
  "- Claude Code: `npm install -g @anthropic-ai/claude-code`",
  "- OpenCode: `npm install -g opencode-ai`",
  "- Copilot CLI: `npm install -g @github/copilot`",
  "",
  "Any agent that speaks ACP works too: `atomic -a acp:COMMAND`. `atomic doctor` shows which agents were found.",
].join("\n");

function writeWelcome(atomicHome: string): string {
  const folder = join(atomicHome, "chat");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "welcome.json");
  writeFileAtomically(file, JSON.stringify({ version: 1, turns: [{ steps: [{ say: welcome }] }] }));
  return file;
}
