// The contract of the agent port on the real Claude Code, and what is Claude's own.

import { agentSuite } from "./agent-suite.ts";
import { rigBackend } from "./backends/claude.ts";

agentSuite(rigBackend);
