// A store of sessions whose process "dies" after a number of records: from then on nothing is stored any more. What is on
// the disk is what a killed process would leave.

import { AtomicError } from "../lib/errors.ts";
import type { JournalHandle, OpenOptions } from "../journal/port.ts";
import { SessionStore } from "../workflows/sessions/session-store.ts";

export class CrashStore extends SessionStore {
  readonly #after: number;
  #records = 0;

  constructor(options: { readonly dir: string; readonly after: number }) {
    super(options);
    this.#after = options.after;
  }

  /** How many were stored. */
  get records(): number {
    return this.#records;
  }

  override async open(run: string, options: OpenOptions): Promise<JournalHandle> {
    const handle = await super.open(run, options);
    const append: JournalHandle["append"] = (events) => {
      this.#count(run);
      return handle.append(events);
    };
    // Calls go to the handle itself, which keeps private state; only `append` is ours.
    return new Proxy(handle, {
      get(target, name) {
        if (name === "append") return append;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }

  #count(run: string): void {
    if (this.#records >= this.#after)
      throw new AtomicError("JOURNAL_WRITE_FAILED", `Run ${run} was ended here by the test.`);
    this.#records++;
  }
}
