// The contract of the agent port on the real Copilot CLI, and what is Copilot's own.

import { agentSuite } from "./agent-suite.ts";
import { rigBackend } from "./backends/copilot.ts";
import { copilotBreakdowns } from "./copilot-breakdowns.ts";
import { copilotCases, copilotScenarios } from "./copilot-cases.ts";
import { serviceCases, serviceScenarios } from "./service-cases.ts";

agentSuite(rigBackend, {
  scenarios: { ...copilotScenarios, ...serviceScenarios },
  cases: [...copilotCases, ...copilotBreakdowns, ...serviceCases],
});
