// The limits of an agent's definition that a backend can't enforce, with the reason.

import type { Capabilities } from "./capabilities.ts";
import type { AgentDefinition } from "./port.ts";
import { isShellTool, spellRules } from "./tool-rules.ts";

export interface UnenforcedLimits {
  /** As a user would write them: `read`, `bash(git:*)`. */
  readonly limits: readonly string[];
  readonly reason: string;
}

export function unenforcedLimits(
  { tools, toolRules }: AgentDefinition,
  { toolLimits, shellRules, toolRules: otherRules }: Capabilities,
): readonly UnenforcedLimits[] {
  const found = [
    { limits: tools ?? [], reason: toolLimits },
    { limits: spellRules(toolRules, isShellTool), reason: shellRules },
    { limits: spellRules(toolRules, (name) => !isShellTool(name)), reason: otherRules },
  ];
  return found.flatMap(({ limits, reason }) => (reason === true || limits.length === 0 ? [] : [{ limits, reason }]));
}
