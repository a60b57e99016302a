// The chat screen from end to end on the real Copilot CLI.

import { chatScreenSuite } from "./chat-screen.ts";
import { copilotProgram } from "./ralph-programs.ts";

chatScreenSuite(copilotProgram);
