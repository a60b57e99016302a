// Which store keeps the runs: a database that the user named, or a SQLite file in each run's own folder.

import type { PrepareStore } from "../app/prepare-store.ts";
import type { OpenRuns } from "../app/open-run-store.ts";

export const openRuns: OpenRuns = async ({ dir, url }) => {
  if (url === undefined) {
    const { SessionStore } = await import("../workflows/sessions/session-store.ts");
    return new SessionStore({ dir });
  }
  const [{ JournalRunStore }, { PostgresSaver }] = await Promise.all([
    import("../workflows/sessions/journal-run-store.ts"),
    import("../journal/postgres/postgres-saver.ts"),
  ]);
  const journal = new PostgresSaver({ url });
  return new JournalRunStore({ journal, dir, shelf: journal.shelf });
};

export const prepareStore: PrepareStore = async (url) => {
  const { PostgresSaver } = await import("../journal/postgres/postgres-saver.ts");
  const saver = new PostgresSaver({ url });
  try {
    await saver.prepare();
    return saver.place;
  } finally {
    await saver.close();
  }
};
