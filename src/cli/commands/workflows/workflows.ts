// `atomic workflows`: everything about workflows but running them.

import { defineGroup } from "../../command.ts";
import { summaries } from "../../summaries.ts";
import { graphCommand } from "./graph.ts";
import { workflowsListCommand } from "./list.ts";
import { newCommand } from "./new.ts";
import { showCommand } from "./show.ts";
import { validateCommand } from "./validate.ts";

export const workflowsCommand = defineGroup({
  name: "workflows",
  summary: summaries.workflows,
  details:
    "Workflows come from .atomic/workflows in this folder and in your home; some are built in. `list` and `show` import no file.",
  subcommands: [workflowsListCommand, showCommand, graphCommand, validateCommand, newCommand],
  defaultSubcommand: "list",
});
