import { rigBackend } from "./backends/opencode.ts";
import { agentSuite } from "./agent-suite.ts";

agentSuite(rigBackend);
