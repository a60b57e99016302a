// A store that kills its own process around a chosen write: right before it, or right after it returned. Nothing of the
// process survives that, as with a power cut or the kernel's out-of-memory killer.

import type { JournalHandle, JournalStore } from "../../../src/journal/port.ts";

export interface Kill {
  /**
   * Which write of this process: taking the run, a record, a snapshot, an acknowledged request, giving the run back.
   */
  readonly write: number;
  readonly when: "before" | "after";
}

export class KillingStore implements JournalStore {
  readonly #inner: JournalStore;
  readonly #kill: Kill | undefined;
  writes = 0;

  constructor(inner: JournalStore, kill: Kill | undefined) {
    this.#inner = inner;
    this.#kill = kill;
  }

  async open(...args: Parameters<JournalStore["open"]>): Promise<JournalHandle> {
    const handle = await this.#write(() => this.#inner.open(...args));
    return new Proxy(handle, {
      get: (target, name) => {
        // Makes every snapshot worth its bytes, so that a run of few records takes many.
        if (name === "bytesWritten") return { events: target.bytesWritten.events * 1e6, snapshots: 0 };
        // The same writes in every run, so that a chosen one is the same as well.
        if (name === "storesStepsApart") return true;
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        const call = (...given: unknown[]): unknown => Reflect.apply(value, target, given) as unknown;
        const isWrite = ["append", "saveSnapshot", "acknowledge", "close"].includes(String(name));
        return isWrite ? (...given: unknown[]) => this.#write(() => call(...given)) : call;
      },
    });
  }

  read: JournalStore["read"] = (...args) => this.#inner.read(...args);
  follow: JournalStore["follow"] = (...args) => this.#inner.follow(...args);
  request: JournalStore["request"] = (...args) => this.#inner.request(...args);
  pending: JournalStore["pending"] = (...args) => this.#inner.pending(...args);
  info: JournalStore["info"] = (...args) => this.#inner.info(...args);
  list: JournalStore["list"] = (...args) => this.#inner.list(...args);
  close: JournalStore["close"] = () => this.#inner.close();
  remove: JournalStore["remove"] = (...args) => this.#inner.remove(...args);

  #write<T>(body: () => T): T {
    const isChosen = ++this.writes === this.#kill?.write;
    if (isChosen && this.#kill?.when === "before") die();
    const result = body();
    if (!isChosen) return result;
    if (result instanceof Promise) return result.then(die) as T;
    return die();
  }
}

function die(): never {
  process.kill(process.pid, "SIGKILL");
  // The signal was sent; nothing may happen until it arrives.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
