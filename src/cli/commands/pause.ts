// `atomic pause ID`

import { chatWorkflow } from "../../chat/chat-event.ts";
import { defineCommand } from "../command.ts";
import { summaries } from "../summaries.ts";

export const pauseCommand = defineCommand({
  name: "pause",
  summary: summaries.pause,
  details:
    "Interrupts its work, saves its state and ends its process. `atomic resume ID` resumes it. An open chat stops its turn and releases its record: its next message, or `atomic chat --resume ID` in another terminal, continues it.",
  arguments: [
    { name: "ID", description: "the run: its id, a unique prefix of it, or @last; `atomic sessions` lists them" },
  ],
  async run({ arguments: [id = ""] }, { io, app }) {
    const { titleOf } = await import("../../workflows/sessions/progress-text.ts");
    const { page, result } = await app.runs.pause(id);
    const { view, status } = page;
    const title = titleOf(view.workflow);
    const isChat = view.workflow === chatWorkflow;
    const next = isChat ? `Continue with: atomic chat --resume ${view.id}` : `Resume with: atomic resume ${view.id}`;
    switch (result) {
      case "paused":
        io.print(`Paused ${title} session: ${view.id}\n${next}`);
        return 0;
      case "not-running":
        io.print(`${title} session ${view.id} is not running (${status}).\n${next}`);
        return 0;
      case "finished":
        io.warn(`${title} session ${view.id} is over (${status}): there is nothing to pause.`);
        return 1;
      case "asked":
        io.warn(
          `${title} session ${view.id} was asked to pause and is still running. See \`atomic sessions show ${view.id}\`.`,
        );
        return 1;
    }
  },
});
