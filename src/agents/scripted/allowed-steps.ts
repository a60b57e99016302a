// Which steps an agent's tools allow. A script can't do more than a real agent of that definition: a step without its
// tool fails like a call of a missing tool, and the turn continues.

const toolsOfStep: Readonly<Record<"write" | "bash" | "subagent", ReadonlySet<string>>> = {
  write: new Set(["write", "edit", "create", "multiedit", "patch", "apply_patch"]),
  bash: new Set(["bash", "shell", "execute"]),
  subagent: new Set(["subagent", "agent", "task"]),
};

/** `tools`: those of the agent's definition; undefined: all. */
export function isStepAllowed(step: keyof typeof toolsOfStep, tools: readonly string[] | undefined): boolean {
  return tools === undefined || tools.some((tool) => toolsOfStep[step].has(tool.toLowerCase()));
}
