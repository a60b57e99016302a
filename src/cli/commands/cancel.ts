// `atomic cancel ID`

import { defineCommand } from "../command.ts";
import { summaries } from "../summaries.ts";

export const cancelCommand = defineCommand({
  name: "cancel",
  summary: summaries.cancel,
  details:
    "A run that is running is stopped first, from any terminal. A cancelled run stays in `atomic sessions`, and can't be resumed; `atomic pause ID` keeps that possible. What tasks with separate folders had finished can still be applied with `atomic land ID`.",
  arguments: [
    { name: "ID", description: "the run: its id, a unique prefix of it, or @last; `atomic sessions` lists them" },
  ],
  async run({ arguments: [id = ""] }, { io, app }) {
    const { titleOf } = await import("../../workflows/sessions/progress-text.ts");
    const { page, result } = await app.runs.cancel(id);
    const { view, status } = page;
    const title = titleOf(view.workflow);
    switch (result) {
      case "cancelled": {
        const { workToLandText } = await import("../runs/work-to-land.ts");
        const left = await workToLandText(view.id, app.runs.events(view.id));
        io.print([`Cancelled ${title} session: ${view.id}`, ...(left === undefined ? [] : [left])].join("\n"));
        return 0;
      }
      case "over":
        io.warn(`${title} session ${view.id} is already ${status}: there is nothing to cancel.`);
        return status === "cancelled" ? 0 : 1;
      case "asked":
        io.warn(
          `${title} session ${view.id} was asked to stop and is still running. See \`atomic sessions show ${view.id}\`.`,
        );
        return 1;
    }
  },
});
