// `atomic config`: settings, their values, and where each comes from.

import { defineGroup } from "../../command.ts";
import { summaries } from "../../summaries.ts";
import { getCommand } from "./get.ts";
import { configListCommand } from "./list.ts";
import { pathCommand } from "./path.ts";
import { schemaCommand } from "./schema.ts";
import { setCommand } from "./set.ts";
import { unsetCommand } from "./unset.ts";

export const configCommand = defineGroup({
  name: "config",
  summary: summaries.config,
  details:
    "Later wins: defaults, ~/.atomic/settings.json, .atomic/settings.json, variables ATOMIC_…, flags. A project's file can't set what runs, where things are kept, or more than your own limits allow.",
  subcommands: [configListCommand, getCommand, setCommand, unsetCommand, pathCommand, schemaCommand],
  defaultSubcommand: "list",
});
