// `atomic db prepare`: the database that keeps runs, where the setting `store` names one.

import { defineCommand, defineGroup, jsonOption } from "../command.ts";
import { printData } from "../print-data.ts";
import { summaries } from "../summaries.ts";

const prepareCommand = defineCommand({
  name: "prepare",
  summary: "Create the tables that store runs",
  details:
    "For the PostgreSQL database that the setting `store`, or ATOMIC_STORE, names. Needs the right to create a schema there. Safe to repeat: what is there stays.",
  options: { json: jsonOption },
  examples: [
    {
      line: "ATOMIC_STORE=postgres://me:secret@db:5432/atomic atomic db prepare",
      text: "once, before the first run",
    },
  ],
  async run({ options }, { io, app }) {
    const prepared = await app.store.prepare();
    printData(io, options.json, prepared, () => `Runs can be kept in the ${prepared.place}.`);
  },
});

export const dbCommand = defineGroup({ name: "db", summary: summaries.db, subcommands: [prepareCommand] });
