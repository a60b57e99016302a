// A store that keeps a tape of what was written to it: each append and each snapshot, in order. Any beginning of the
// tape is what a process that was killed there leaves behind, and can be made into a store again.

import { MemorySaver } from "../../src/journal/memory.ts";
import type {
  IndexEntry,
  JournalEvent,
  JournalHandle,
  JournalStore,
  JournalOpenOptions,
  Snapshot,
  StoredEvent,
} from "../../src/journal/port.ts";

export type Written =
  | { readonly kind: "append"; readonly events: readonly JournalEvent[] }
  | { readonly kind: "snapshot"; readonly snapshot: Snapshot };

export interface TapeOptions {
  /** Makes every snapshot that the engine may take worth its bytes. */
  readonly eagerSnapshots?: boolean;
  /** Answers appends later, after a turn of this function: as a store over a network would. */
  readonly delay?: (() => Promise<void>) | undefined;
}

export class TapeStore implements JournalStore {
  readonly saver: MemorySaver;
  readonly tape: Written[] = [];
  readonly #options: TapeOptions;

  constructor(options: TapeOptions = {}, saver = new MemorySaver()) {
    this.#options = options;
    this.saver = saver;
  }

  async open(run: string, options: JournalOpenOptions): Promise<JournalHandle> {
    return taped(await this.saver.open(run, options), this.tape, this.#options);
  }

  read: JournalStore["read"] = (run, options) => this.saver.read(run, options);
  follow: JournalStore["follow"] = (run, options) => this.saver.follow(run, options);
  request: JournalStore["request"] = (run, request) => this.saver.request(run, request);
  pending: JournalStore["pending"] = (run) => this.saver.pending(run);
  info: JournalStore["info"] = (run) => this.saver.info(run);
  list: JournalStore["list"] = (options) => this.saver.list(options);
  close: JournalStore["close"] = () => this.saver.close();
  remove: JournalStore["remove"] = (run) => this.saver.remove(run);
}

function taped(handle: JournalHandle, tape: Written[], options: TapeOptions): JournalHandle {
  const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  let isWriting = false;
  const append = (
    events: readonly JournalEvent[],
    entry?: IndexEntry,
  ): readonly StoredEvent[] | Promise<readonly StoredEvent[]> => {
    const store = (): readonly StoredEvent[] => {
      const stored = handle.append(events, entry) as readonly StoredEvent[];
      tape.push({ kind: "append", events: copy(events) });
      return stored;
    };
    if (options.delay === undefined) return store();
    if (isWriting) throw new Error("two appends at the same time");
    isWriting = true;
    return options.delay().then(() => {
      isWriting = false;
      return store();
    });
  };
  return {
    run: handle.run,
    snapshot: handle.snapshot,
    history: handle.history,
    lost: handle.lost,
    get lastSeq() {
      return handle.lastSeq;
    },
    get bytesWritten() {
      const { events, snapshots } = handle.bytesWritten;
      return options.eagerSnapshots === true ? { events: events * 1e6, snapshots: 0 } : { events, snapshots };
    },
    append,
    saveSnapshot(snapshot) {
      tape.push({ kind: "snapshot", snapshot: copy(snapshot) });
      return handle.saveSnapshot(snapshot);
    },
    requests: (signal) => handle.requests(signal),
    pending: () => handle.pending(),
    acknowledge: (id) => handle.acknowledge(id),
    close: () => handle.close(),
  };
}

/** A store that holds what was written up to here, as a killed process leaves it. */
export async function storeOf(
  run: string,
  tape: readonly Written[],
  options: { readonly withSnapshots: boolean },
): Promise<MemorySaver> {
  const saver = new MemorySaver();
  const handle = await saver.open(run, { mode: "create" });
  for (const written of tape) {
    if (written.kind === "append") await handle.append(written.events);
    else if (options.withSnapshots) await handle.saveSnapshot(written.snapshot);
  }
  await handle.close();
  return saver;
}

/** The visits and the parts of visits that are recorded as done. */
export function recordedKeys(tape: readonly Written[]): string[] {
  const keys: string[] = [];
  for (const written of tape) {
    if (written.kind === "append") for (const event of written.events) keys.push(...keyOfDone(event));
  }
  return keys;
}

export function keyOfDone(event: JournalEvent): string[] {
  const key = event["key"] as string;
  switch (event.type) {
    case "node.finished":
      return [key];
    case "step.finished":
      return [`${key}${event["step"] as string}`];
    case "node.failed":
      return event["goto"] !== undefined || event["update"] !== undefined || event["lost"] !== undefined ? [key] : [];
    default:
      return [];
  }
}

/** Which branch won each race, by the key of its fork. */
export function recordedWinners(tape: readonly Written[]): Record<string, string> {
  const winners: Record<string, string> = {};
  for (const written of tape) {
    if (written.kind !== "append") continue;
    for (const event of written.events) {
      if (event.type === "branch.won") winners[event["key"] as string] = event["branch"] as string;
    }
  }
  return winners;
}

/** What the run warned of, by kind and subject. */
export function recordedWarnings(tape: readonly Written[]): string[] {
  return tape.flatMap((written) =>
    written.kind === "append"
      ? written.events.flatMap(({ type, kind, subject }) =>
          type === "run.warned" ? [JSON.stringify([kind, subject])] : [],
        )
      : [],
  );
}
