// `atomic/testing`: what authors and builders of backends test with. It imports no test runner.

export { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";
export {
  crashEverywhere,
  type CrashFailure,
  type CrashOptions,
  type CrashReport,
  findCrashFailures,
} from "../testing/crash-everywhere.ts";
export { type NodeRun, runNode, type RunNodeOptions } from "../testing/run-node.ts";
export { type ScriptedAgentOptions, scriptedAgent } from "../testing/scripted-agent.ts";
export { agentContract, type ContractCase } from "../testing/contracts/agent-contract.ts";
export type { AgentHarness } from "../testing/contracts/agent-harness.ts";
export {
  type ChildTask,
  journalCasesFor,
  journalContract,
  type JournalContractCase,
  type JournalDamage,
  type JournalHarness,
  type MakeJournalHarness,
  runJournalChild,
} from "../testing/contracts/journal-contract.ts";
