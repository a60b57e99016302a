// The contract of the agent port on the real Claude Code, and what is Claude's own.

import { agentSuite } from "./agent-suite.ts";
import { rigBackend } from "./backends/claude.ts";
import { claudeBreakdowns } from "./claude-breakdowns.ts";
import { claudeCases, claudeScenarios } from "./claude-cases.ts";
import { serviceCases, serviceScenarios } from "./service-cases.ts";

agentSuite(rigBackend, {
  scenarios: { ...claudeScenarios, ...serviceScenarios },
  cases: [...claudeCases, ...claudeBreakdowns, ...serviceCases],
});
