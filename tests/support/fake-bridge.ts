// A fake agent at the engine's port that answers at once and records its calls.

import type { SubagentSpawnOptions, WorkflowBridge } from "atomic/workflows/graph";

export interface FakeBridge extends WorkflowBridge {
  /** What was asked, and which sessions were cleared, in order: `planner: make tea`, `clear main`. */
  readonly calls: string[];
}

export function createFakeBridge(
  answer: (asked: SubagentSpawnOptions) => string = ({ task }) => `did: ${task}`,
): FakeBridge {
  const calls: string[] = [];
  const spawn: WorkflowBridge["spawn"] = async (options) => {
    calls.push(`${options.agent ?? options.session ?? "fresh"}: ${options.task}`);
    return { success: true, output: answer(options) };
  };
  return {
    calls,
    spawn,
    spawnParallel: (agents, signal) => Promise.all(agents.map((agent) => spawn(agent, signal))),
    contextUsage: async () => ({ usedTokens: 90, maxTokens: 100 }),
    clearSession: async (session) => void calls.push(`clear ${session}`),
    compactSession: async (session) => void calls.push(`compact ${session}`),
  };
}
