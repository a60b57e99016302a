// The contract of the agent port on the real Claude Code, and what is Claude's own.

import { agentSuite } from "./agent-suite.ts";
import { rigBackend } from "./backends/claude.ts";
import { claudeBreakdowns } from "./claude-breakdowns.ts";
import { claudeCases, claudeScenarios } from "./claude-cases.ts";

agentSuite(rigBackend, { scenarios: claudeScenarios, cases: [...claudeCases, ...claudeBreakdowns] });
