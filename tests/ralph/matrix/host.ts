// The program of the ralph matrix: the real command line with the real parts, with a store that kills the process at
// a chosen write. How many writes there were is left in a file, for choosing the next kill.

import { writeFileSync } from "node:fs";
import { runCli } from "../../../src/cli/run-cli.ts";
import { createParts } from "../../../src/main/create-parts.ts";
import type { OpenRuns } from "../../../src/app/open-run-store.ts";
import type { JournalHandle, JournalOpenOptions } from "../../../src/journal/port.ts";
import { SessionStore } from "../../../src/workflows/sessions/session-store.ts";
import { type Kill, KillingStore } from "../../durability/matrix/killing-store.ts";

class KillingSessions extends SessionStore {
  readonly #killing: KillingStore;

  constructor(dir: string, kill: Kill | undefined) {
    super({ dir });
    this.#killing = new KillingStore(new SessionStore({ dir }), kill);
  }

  get writes(): number {
    return this.#killing.writes;
  }

  override open(run: string, options: JournalOpenOptions): Promise<JournalHandle> {
    return this.#killing.open(run, options);
  }
}

const { MATRIX_KILL: kill = "null", MATRIX_WRITES: writes } = process.env;
let sessions: KillingSessions | undefined;
const openRuns: OpenRuns = async ({ dir }) =>
  (sessions = new KillingSessions(dir, (JSON.parse(kill) as Kill | null) ?? undefined));
const exitCode = await runCli(process.argv.slice(2), {
  parts: async () => ({ ...createParts(), openRuns }),
  screen: () => Promise.reject(new Error("These runs have no screen.")),
});
if (writes !== undefined) writeFileSync(writes, String(sessions?.writes ?? 0));
process.exit(exitCode);
