// The chat screen from end to end on the real Claude Code.

import { chatScreenSuite } from "./chat-screen.ts";
import { claudeProgram } from "./ralph-programs.ts";

chatScreenSuite(claudeProgram);
