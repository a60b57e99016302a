// The contract of the agent port on the real Copilot CLI, and what is Copilot's own.

import { agentSuite } from "./agent-suite.ts";
import { rigBackend } from "./backends/copilot.ts";

agentSuite(rigBackend);
