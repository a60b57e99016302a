// `atomic chat [PROMPT]`

import { resumeTermOptions, startOptions } from "../../app/runs/run-options.ts";
import { AtomicError } from "../../lib/errors.ts";
import { defineCommand } from "../command.ts";
import { summaries } from "../summaries.ts";

const { agent, model, script, record, trust, "max-cost": maxCost, "max-tokens": maxTokens } = resumeTermOptions;

export const chatCommand = defineCommand({
  name: "chat",
  summary: summaries.chat,
  details:
    "Each chat is recorded like a run: `atomic sessions` lists it, and it can be continued after it was left or killed. /help in the chat lists what can be typed there. Without a terminal, and with --plain, it reads lines from standard input and prints text.",
  arguments: [{ name: "PROMPT", description: "the first message", isOptional: true, isList: true }],
  options: {
    agent: { ...agent, description: "claude, opencode, copilot, acp:COMMAND, scripted or replay" },
    model,
    continue: { type: "boolean", short: "c", description: "continue the newest chat of this folder" },
    resume: { type: "string", value: "ID", description: "continue this chat: its id, a unique prefix of it, or @last" },
    plain: { type: "boolean", description: "lines of text instead of a screen; for screen readers and pipes" },
    theme: { type: "string", choices: ["dark", "light"], value: "THEME", description: "colours: dark or light" },
    "max-cost": maxCost,
    "max-tokens": maxTokens,
    script,
    record,
    trust,
    cwd: startOptions.cwd,
  },
  examples: [
    { line: "atomic chat", text: "with the agent of the settings" },
    { line: 'atomic chat -a claude "What does this project do?"', text: "with a first message" },
    { line: "atomic chat --continue", text: "where the last one was left" },
    { line: 'echo "Explain src/main.ts" | atomic chat --plain', text: "in a pipe" },
  ],
  async run({ options, arguments: words }, context) {
    if (options.continue && options.resume !== undefined) {
      throw new AtomicError(
        "USAGE",
        "--continue takes the newest chat, --resume the one with this ID. Use one of them.",
      );
    }
    const { openChat } = await import("../chat/open-chat.ts");
    const { io, environment, screen } = context;
    return openChat({
      options,
      prompt: words.join(" "),
      io,
      app: context.app.inFolder(options.cwd),
      environment,
      screen,
    });
  },
});
