// The sandbox of a run, for the commands that the run starts itself: checks and the preparation of work trees run what
// agents wrote. Looked up through the run's agents, which every node has: the engine's runtime has no notion of
// processes.

import type { ProgramSandbox } from "../agents/process/sandbox/program-sandbox.ts";
import type { WorkflowBridge } from "./graph/model/bridge.ts";
import type { Runtime } from "./graph/model/runtime.ts";

const sandboxes = new WeakMap<WorkflowBridge, ProgramSandbox>();

export function useSandbox(agents: WorkflowBridge, sandbox: ProgramSandbox | undefined): void {
  if (sandbox !== undefined) sandboxes.set(agents, sandbox);
}

export function sandboxOf({ agents }: Pick<Runtime, "agents">): ProgramSandbox | undefined {
  return agents === undefined ? undefined : sandboxes.get(agents);
}
