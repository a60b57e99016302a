// Ralph from end to end on the real Claude Code.

import { claudeProgram } from "./ralph-programs.ts";
import { ralphSuite } from "./ralph-suite.ts";

ralphSuite(claudeProgram);
