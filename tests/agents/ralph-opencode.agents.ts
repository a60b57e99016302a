// Ralph from end to end on the real OpenCode.

import { opencodeProgram } from "./ralph-programs.ts";
import { ralphSuite } from "./ralph-suite.ts";

ralphSuite(opencodeProgram);
