// The run's agents as a node's body gets them: a turn that it takes without passing its context and signal on is the
// node's all the same. Otherwise it would count against no limit, be on no record, and outlive a stopped run.

import type { AgentCallContext, SubagentSpawnOptions, WorkflowBridge } from "../model/bridge.ts";
import type { Runtime } from "../model/runtime.ts";

export function withOwnAgents(runtime: Runtime, context: AgentCallContext): Runtime {
  const { agents } = runtime;
  return agents === undefined ? runtime : { ...runtime, agents: ownAgents(agents, context) };
}

function ownAgents(agents: WorkflowBridge, context: AgentCallContext): WorkflowBridge {
  const own = (call: SubagentSpawnOptions): SubagentSpawnOptions =>
    call.context === undefined ? { ...call, context } : call;
  return {
    spawn: (call, signal = context.signal) => agents.spawn(own(call), signal),
    spawnParallel: (calls, signal = context.signal) => agents.spawnParallel(calls.map(own), signal),
    contextUsage: (session) => agents.contextUsage(session),
    clearSession: (session) => agents.clearSession(session),
    compactSession: (session) => agents.compactSession(session),
  };
}
