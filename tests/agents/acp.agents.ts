// The contract of the agent port on a real ACP agent, and what is the protocol's own.

import { acpCases, acpScenarios } from "./acp-cases.ts";
import { agentSuite } from "./agent-suite.ts";
import { rigBackend } from "./backends/acp.ts";

agentSuite(rigBackend, { scenarios: acpScenarios, cases: acpCases });
