// `atomic completion SHELL`

import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { defineCommand } from "../command.ts";
import { shells, shellScripts } from "../completion/shell-scripts.ts";
import { summaries } from "../summaries.ts";

export const completionCommand = defineCommand({
  name: "completion",
  summary: summaries.completion,
  details: "The first line of what it prints says where to put it.",
  arguments: [{ name: "SHELL", description: shells.join(", ") }],
  examples: [
    { line: 'eval "$(atomic completion bash)"', text: "in ~/.bashrc" },
    { line: "atomic completion fish > ~/.config/fish/completions/atomic.fish", text: "for fish" },
  ],
  run({ arguments: [name = ""] }, { io }) {
    const shell = shells.find((each) => each === name);
    if (shell === undefined)
      throw new AtomicError("USAGE", `"${safeLine(name, 40)}" is not a known shell. Known: ${shells.join(", ")}.`);
    io.print(shellScripts[shell]);
  },
});
