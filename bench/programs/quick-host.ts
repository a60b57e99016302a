// The real command line on a store that does not sync: it makes the long runs that other processes are measured on.

import { join } from "node:path";
import type { OpenRuns } from "../../src/app/open-run-store.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { SqliteSaver } from "../../src/journal/sqlite/sqlite-saver.ts";
import type { JournalStore } from "../../src/journal/port.ts";
import { createParts } from "../../src/main/create-parts.ts";
import { JournalRunStore } from "../../src/workflows/sessions/journal-run-store.ts";

const openRuns: OpenRuns = async ({ dir }) => {
  const of = (run: string): SqliteSaver => new SqliteSaver({ path: join(dir, run, "journal.sqlite"), sync: "normal" });
  const journal: JournalStore = {
    open: (run, options) => of(run).open(run, options),
    read: (run, options) => of(run).read(run, options),
    follow: (run, options) => of(run).follow(run, options),
    request: (run, request) => of(run).request(run, request),
    info: (run) => of(run).info(run),
    list: async () => ({ runs: [], next: undefined }),
    remove: (run) => of(run).remove(run),
    close: async () => undefined,
  };
  return new JournalRunStore({ journal, dir });
};
process.exit(
  await runCli(process.argv.slice(2), {
    parts: async () => ({ ...createParts(), openRuns }),
    screen: () => Promise.reject(new Error("These runs have no screen.")),
  }),
);
