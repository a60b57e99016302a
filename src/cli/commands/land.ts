// `atomic land ID [TASK…]`

import { defineCommand } from "../command.ts";
import { summaries } from "../summaries.ts";
import { counted } from "../../lib/counted.ts";
import { safeLine } from "../../lib/safe-text.ts";

export const landCommand = defineCommand({
  name: "land",
  summary: summaries.land,
  details:
    "For a run whose workers had separate folders: writes what they finished into the folder that the run was started in. Also after a run that was paused or failed, or started with `--land none`. With task ids, only the work of those, also of a task that failed. A file that you changed since is not touched: then nothing is written, and the work is on the branch atomic/ID.",
  arguments: [
    { name: "ID", description: "the run: its id, a unique prefix of it, or @last; `atomic sessions` lists them" },
    { name: "TASK", description: "ids of tasks; without any, all that landed", isOptional: true, isList: true },
  ],
  async run({ arguments: [id = "", ...tasks] }, { io, app }) {
    const { target, files, ref, blocked, problem } = await app.runs.land(id, tasks);
    if (target === "tree") {
      io.print(
        files === 0 ? "Nothing to do: your folder is up to date." : `Changed ${counted(files, "file")} in your folder.`,
      );
      return 0;
    }
    const why = problem ?? `you changed ${counted(blocked.length, "file")} since:`;
    io.warn([`Nothing was written, ${safeLine(why, 400)}`, ...blocked.map((file) => `  ${safeLine(file)}`)].join("\n"));
    io.warn(`The work is on the branch ${ref}. Merge that, or put your changes aside and try again.`);
    return 1;
  },
});
