// The real command line on PostgreSQL, with a store that kills the process around a chosen write. How many writes there
// were is left in a file, for choosing the next kill.

import { writeFileSync } from "node:fs";
import type { OpenRuns } from "../../src/app/open-run-store.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { PostgresSaver } from "../../src/journal/postgres/postgres-saver.ts";
import { createParts } from "../../src/main/create-parts.ts";
import { JournalRunStore } from "../../src/workflows/sessions/journal-run-store.ts";
import { type Kill, KillingStore } from "../durability/matrix/killing-store.ts";

const { MATRIX_KILL: kill = "null", MATRIX_WRITES: writes } = process.env;
let killing: KillingStore | undefined;
const openRuns: OpenRuns = async ({ dir, url = "" }) => {
  const saver = new PostgresSaver({ url });
  killing = new KillingStore(saver, (JSON.parse(kill) as Kill | null) ?? undefined);
  return new JournalRunStore({ journal: killing, dir, shelf: saver.shelf });
};
const exitCode = await runCli(process.argv.slice(2), {
  parts: async () => ({ ...createParts(), openRuns }),
  screen: () => Promise.reject(new Error("These runs have no screen.")),
});
if (writes !== undefined) writeFileSync(writes, String(killing?.writes ?? 0));
process.exit(exitCode);
