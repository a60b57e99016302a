// Which store keeps the runs.

import type { OpenRuns } from "../app/recorded-runs.ts";
import { SessionStore } from "../workflows/sessions/session-store.ts";

export const openRuns: OpenRuns = async ({ dir }) => new SessionStore({ dir });
