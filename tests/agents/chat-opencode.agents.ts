// The chat screen from end to end on the real OpenCode.

import { chatScreenSuite } from "./chat-screen.ts";
import { opencodeProgram } from "./ralph-programs.ts";

chatScreenSuite(opencodeProgram);
