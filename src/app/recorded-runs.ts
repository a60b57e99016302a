// The user's runs, to look at: for commands that start none. Loads neither the engine nor the catalog; for a list not
// even what reads events, unless there is a run whose summary is not kept.

import { requireValid, resolveSettings } from "../settings/resolve-settings.ts";
import type { RunStore } from "../workflows/sessions/run-store.ts";
import { createRunLists, type RunLists } from "./list-runs.ts";
import { openRunStore, type StoreParts } from "./open-run-store.ts";
import type { AppParts } from "./parts.ts";
import type { RunReader } from "./runs-read.ts";
import { createSummaryCache } from "./summary-cache.ts";

type ReaderParts = StoreParts & Pick<AppParts, "environment" | "clock">;

export interface RecordedRuns extends Pick<RunLists, "list">, Pick<RunStore, "ids"> {
  readonly reader: () => Promise<RunReader>;
}

/** Throws SETTINGS_INVALID. */
export async function openRecordedRuns(parts: ReaderParts): Promise<RecordedRuns> {
  const { clock } = parts;
  const store = await openRunStore(requireValid(resolveSettings(parts)), parts);
  const now = (): number => clock.now();
  const lists = createRunLists({
    store,
    cache: createSummaryCache(store.dir, now),
    now,
    pageOf: async (folder, info) => (await import("./run-page.ts")).readPage(store, folder, info),
  });
  let reader: Promise<RunReader> | undefined;
  return {
    ids: () => store.ids(),
    list: (limit) => lists.list(limit),
    reader: () => (reader ??= import("./runs-read.ts").then(({ createRunReader }) => createRunReader(store, clock))),
  };
}
