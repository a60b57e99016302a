// Runs, as every front end sees them: start, resume, pause, answer, list, follow, remove. The truth is each run's
// journal; nothing here keeps a state of its own.

import type { SessionStore } from "../workflows/sessions/session-store.ts";
import { createRunReader, type RunReader } from "./runs-read.ts";
import { createRunRequests, type RunRequests } from "./runs-requests.ts";
import { createRunStarter, type RunStarter, type RunStarterOptions } from "./runs-start.ts";
import { readStartFacts, type StartFacts } from "./start-facts.ts";

export interface Runs extends RunStarter, RunReader, RunRequests {
  /** How it was started: what `resume` needs. Throws RUN_ID_INVALID, RUN_NOT_FOUND or JOURNAL_CORRUPT. */
  startFacts(id: string): Promise<StartFacts>;
  /** Refuses with RUN_OWNED while somebody runs it. */
  remove(id: string): Promise<void>;
}

export function createRuns(options: RunStarterOptions): Runs {
  const { store, clock, redact } = options;
  const reader = createRunReader(store, clock);
  return {
    ...createRunStarter(options),
    ...reader,
    ...createRunRequests({ store, reader, clock, redact }),
    startFacts: (id) => readFacts(store, id),
    remove: (id) => store.remove(id),
  };
}

function readFacts(store: SessionStore, written: string): Promise<StartFacts> {
  const { id } = store.folder(written);
  return readStartFacts(id, store.read(id));
}
