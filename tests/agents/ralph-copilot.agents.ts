// Ralph from end to end on the real Copilot CLI.

import { copilotProgram } from "./ralph-programs.ts";
import { ralphSuite } from "./ralph-suite.ts";

ralphSuite(copilotProgram);
