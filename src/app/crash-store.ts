// A store of sessions, on the disk as they are, whose process "dies" after a number of records.

import type { JournalHandle, OpenOptions } from "../journal/port.ts";
import { CrashPoint } from "../workflows/crash-point.ts";
import { SessionStore } from "../workflows/sessions/session-store.ts";

export class CrashStore extends SessionStore {
  readonly #crash = new CrashPoint();

  constructor(options: { readonly dir: string; readonly after: number }) {
    super(options);
    this.#crash.crashAfter(options.after);
  }

  /** How many were stored. */
  get records(): number {
    return this.#crash.records;
  }

  override async open(run: string, options: OpenOptions): Promise<JournalHandle> {
    return this.#crash.guard(await super.open(run, options));
  }
}
