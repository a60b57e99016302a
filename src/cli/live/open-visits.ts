// The visits of a run that are under way, found without a look at those that are over: a run of days has thousands, and
// the lines are drawn several times a second.

import type { SessionView } from "../../workflows/sessions/session-view.ts";
import type { VisitView } from "../../workflows/sessions/visit-views.ts";

export class OpenVisits {
  readonly #keys: Set<string>;

  constructor({ visits }: Pick<SessionView, "visits">) {
    this.#keys = new Set(visits.keys());
  }

  /** One that starts. */
  add(key: string): void {
    this.#keys.add(key);
  }

  /** Those that run or wait to retry, in the order in which they started. */
  of({ visits }: Pick<SessionView, "visits">): readonly VisitView[] {
    const found: VisitView[] = [];
    for (const key of this.#keys) {
      const visit = visits.get(key);
      const state = visit?.state;
      if (visit !== undefined && (state === "running" || state === "retrying")) found.push(visit);
      // A visit that waits for an answer will run again; the others start anew, if ever.
      else if (state !== "waiting") this.#keys.delete(key);
    }
    return found;
  }
}
