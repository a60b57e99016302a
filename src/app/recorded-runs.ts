// The user's runs, to look at: for commands that start none. Loads neither the engine nor the catalog.

import { requireValid, resolveSettings, type Settings } from "../settings/resolve-settings.ts";
import { SessionStore } from "../workflows/sessions/session-store.ts";
import type { AppParts } from "./parts.ts";
import { createRunReader, type RunReader } from "./runs-read.ts";
import { sessionsDir } from "./sessions-dir.ts";

export interface StoreParts extends Pick<AppParts, "place"> {
  /** The runs that are kept in a folder; the program itself has one way to keep them. */
  readonly openSessions?: ((dir: string) => SessionStore) | undefined;
}

/** Throws SETTINGS_INVALID. */
export function openRecordedRuns(parts: StoreParts & Pick<AppParts, "environment" | "clock">): RunReader {
  return createRunReader(openSessionStore(requireValid(resolveSettings(parts)), parts), parts.clock);
}

/** Where the settings say that runs are kept. */
export function openSessionStore(settings: Settings, parts: StoreParts): SessionStore {
  const dir = sessionsDir(settings, parts);
  return parts.openSessions?.(dir) ?? new SessionStore({ dir });
}
