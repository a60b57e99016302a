// A fork: a new run that begins with the first events of another one, as if that had been killed right there. The old
// run stays as it is. Agents' sessions are not carried over, because the old run may continue them; the files in the
// folder stay as they are now (docs/decisions/080-forks.md).

import { readSessionNote } from "../../agents/session-notes.ts";
import { readEvent } from "../../events/run-event.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { JournalEvent, JournalStore, StoredEvent } from "../../journal/port.ts";

export interface ForkRequest {
  readonly run: string;
  /** A node, a visit (`work#2`), or the number of an event. */
  readonly from: string;
  /** The new run's id. */
  readonly into: string;
}

export interface RunFork {
  /** The last event of the old run that the new one has. */
  readonly seq: number;
  /** The commit that had landed by then, where workers have separate trees. */
  readonly head: string | undefined;
}

/** Stored as a whole or not at all. Throws USAGE for a point that the run does not have, or at which it was over. */
export async function forkRun(
  store: Pick<JournalStore, "open" | "read">,
  { run, from, into }: ForkRequest,
  beforeStored: (fork: RunFork) => Promise<void>,
): Promise<RunFork> {
  const events: StoredEvent[] = [];
  for await (const event of store.read(run)) events.push(event);
  const seq = pointOf(run, events, from);
  const kept = events.slice(0, seq);
  requireOpenEnd(run, kept);
  const landed = kept.findLast((event) => event.type === "task.landed")?.["commit"];
  const fork = { seq, head: typeof landed === "string" ? landed : undefined };
  await beforeStored(fork);
  const handle = await store.open(into, { mode: "create" });
  try {
    const copied = kept.filter((event) => !isSessionNote(event)).map((event) => moved(event, run, into));
    const [first, ...rest] = copied;
    if (first === undefined) throw noSuchPoint(run, from);
    await handle.append([{ ...first, forkedFrom: { run, seq } }, ...rest], { status: "running", dueAt: undefined });
    return fork;
  } finally {
    await handle.close();
  }
}

/** The number of the last event to keep. */
function pointOf(run: string, events: readonly StoredEvent[], from: string): number {
  const written = from.trim();
  if (/^\d+$/.test(written)) {
    const seq = Number(written);
    if (seq < 1 || seq > events.length) throw noSuchPoint(run, written);
    return seq;
  }
  const starts = events.map(readEvent).filter((event) => event.type === "node.started");
  const last = starts.findLast(({ node, key }) => node === written || key === written);
  // Its first try: the visit starts over.
  const first = last && starts.find(({ key }) => key === last.key);
  if (first !== undefined) return first.seq - 1;
  const nodes = [...new Set(starts.map(({ node }) => safeLine(node, 60)))];
  throw new AtomicError(
    "USAGE",
    `Run ${run} has no node "${safeLine(written, 60)}" that ran. Choose one of ${nodes.join(", ") || "none"}, or the number of an event.`,
    { details: { run, nodes } },
  );
}

function noSuchPoint(run: string, from: string): AtomicError {
  return new AtomicError(
    "USAGE",
    `Run ${run} has no event ${safeLine(from, 60)}. \`atomic sessions logs ${run}\` shows them all.`,
    { details: { run } },
  );
}

function requireOpenEnd(run: string, kept: readonly StoredEvent[]): void {
  const last = kept.at(-1);
  if (last?.type === "run.finished" && last["outcome"] !== "failed") {
    throw new AtomicError(
      "USAGE",
      `Event ${last.seq} is the end of run ${run}: nothing is left to do after it. Choose an earlier event, or a node.`,
      { details: { run } },
    );
  }
  if (kept.some((event) => event.type === "state.migrated" && event["key"] === undefined)) {
    throw new AtomicError(
      "STATE_VERSION",
      `Run ${run} was moved to another state version before event ${last?.seq ?? 0}, so it can't be forked there. Choose an earlier event.`,
      { details: { run } },
    );
  }
}

/** The new run's own folder, refs and id take the place of the old ones, wherever the record names them. */
function moved(event: StoredEvent, run: string, into: string): JournalEvent {
  // The store assigns the number: some events are left out.
  const { seq: _, ...rest } = event;
  return JSON.parse(JSON.stringify(rest).replaceAll(run, into)) as JournalEvent;
}

function isSessionNote(event: StoredEvent): boolean {
  if (event.type !== "attempt.noted") return false;
  const note: Json | undefined = event["note"];
  const inner = typeof note === "object" && note !== null && "part" in note ? note["note"] : note;
  return readSessionNote(inner) !== undefined;
}
