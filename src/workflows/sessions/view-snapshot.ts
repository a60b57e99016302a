// The view of a run after some event, kept in the run's folder on this machine, so that showing or resuming a long run
// folds only what came after. With it are the events that say how the run was started. The journal is the source of
// truth: a snapshot that is missing, torn, of another version or of a different record is skipped, and written again.
// A machine that only looks at a run, which other machines work on, keeps its snapshot apart (reader-views.ts).

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { readEvent, type RunEvent, storedOf } from "../../events/run-event.ts";
import type { StoredEvent } from "../../journal/port.ts";
import { discard, isSystemError, systemCode, temporaryName } from "../../lib/atomic-file.ts";
import { checksum } from "../../lib/checksum.ts";
import { isRecord } from "../../lib/is-record.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import { version } from "../../lib/version.ts";
import type { RunSpending } from "../limits/run-spending.ts";
import type { RunStore } from "./run-store.ts";
import { createSessionsDir, type SessionFolder } from "./session-folder.ts";
import { createSessionView, nextView, type SessionView } from "./session-view.ts";

/** Changes with what a view holds. */
const viewFormat = 4;
/** This many events are worth a snapshot; fewer are folded again. */
const eventsPerSnapshot = 1000;
/** When the run stops: the next reader need not fold the rest. */
const eventsAtStop = 100;
/**
 * A new snapshot is written after at least one event per this many characters of the last one: one of a megabyte every
 * 25,000 events. So the snapshots of a long run take a small part of what its events take, and what is left to fold
 * after a kill takes a moment.
 */
const charsPerEvent = 40;

/** A run as its record has it. */
export interface RecordedRun {
  readonly view: SessionView;
  /** The first `run.started` and the last one. */
  readonly starts: readonly StoredEvent[];
}

interface Snapshot extends RecordedRun {
  /** Of the last event that is folded in. */
  readonly sum: string;
}

/** Follows one run and keeps a snapshot of it now and then. */
export class ViewRecorder {
  readonly #folder: SessionFolder;
  #run: RecordedRun;
  #last: StoredEvent | undefined;
  #kept: number;
  /** Of the last snapshot, in characters. */
  #size = 0;

  constructor(folder: SessionFolder, run: RecordedRun) {
    this.#folder = folder;
    this.#run = run;
    this.#kept = run.view.lastSeq;
  }

  get view(): SessionView {
    return this.#run.view;
  }

  get run(): RecordedRun {
    return this.#run;
  }

  /** Adds the next event. */
  add(event: RunEvent): void {
    const stored = storedOf(event);
    this.#run = { view: nextView(this.#run.view, event), starts: startsAfter(this.#run.starts, stored) };
    this.#last = stored;
  }

  /** Writes a snapshot when enough came since the last one. */
  keepIfLong(): void {
    this.#keepAfter(Math.max(eventsPerSnapshot, this.#size / charsPerEvent));
  }

  /** The same, when nothing more will come from this process. */
  keepAtStop(): void {
    this.#keepAfter(eventsAtStop);
  }

  #keepAfter(events: number): void {
    if (this.#last === undefined || this.#last.seq - this.#kept < events) return;
    this.#kept = this.#last.seq;
    this.#size = writeSnapshot(this.#folder, { ...this.#run, sum: sumOf(this.#last) });
  }
}

/** The run as it is now. Reads only the events after the snapshot, if there is one. */
export async function readRun(store: Pick<RunStore, "read" | "folder">, run: string): Promise<RecordedRun> {
  const folder = store.folder(run);
  const snapshot = loadSnapshot(folder);
  return (snapshot && (await readAfter(store, folder, snapshot))) ?? readAll(store, folder);
}

/** Undefined when the record is not the one that the snapshot was made of. */
async function readAfter(
  store: Pick<RunStore, "read">,
  folder: SessionFolder,
  snapshot: Snapshot,
): Promise<RecordedRun | undefined> {
  const recorder = new ViewRecorder(folder, snapshot);
  const { lastSeq } = snapshot.view;
  let isSame = false;
  for await (const event of store.read(folder.id, { from: lastSeq })) {
    if (event.seq !== lastSeq) recorder.add(readEvent(event));
    else if (sumOf(event) === snapshot.sum) isSame = true;
    else return undefined;
  }
  if (!isSame) return undefined;
  recorder.keepAtStop();
  return recorder.run;
}

async function readAll(store: Pick<RunStore, "read">, folder: SessionFolder): Promise<RecordedRun> {
  const recorder = new ViewRecorder(folder, { view: createSessionView(folder.id), starts: [] });
  for await (const event of store.read(folder.id)) recorder.add(readEvent(event));
  recorder.keepAtStop();
  return recorder.run;
}

function startsAfter(starts: readonly StoredEvent[], event: StoredEvent): readonly StoredEvent[] {
  if (event.type !== "run.started") return starts;
  const [first] = starts;
  return first === undefined ? [event] : [first, event];
}

/** Distinguishes one record from another by what was appended when. */
function sumOf({ seq, at, type, key }: StoredEvent): string {
  return checksum(JSON.stringify([seq, at, type, key ?? null]));
}

function loadSnapshot(folder: SessionFolder): Snapshot | undefined {
  const { view, readerView } = folder;
  return parseSnapshot(folder, view) ?? (readerView === undefined ? undefined : parseSnapshot(folder, readerView));
}

function parseSnapshot(folder: SessionFolder, path: string): Snapshot | undefined {
  try {
    const text = readFileSync(path, "utf8");
    const end = text.lastIndexOf("\n");
    if (text.slice(end + 1) !== checksum(text.slice(0, end))) return undefined;
    const kept: unknown = JSON.parse(text.slice(0, end));
    if (!isRecord(kept) || kept["head"] !== headOf(folder)) return undefined;
    const { sum, starts } = kept;
    const view = decodeView(kept["view"]);
    const whole = view && { ...createSessionView(folder.id), ...view };
    if (typeof sum !== "string" || !areEvents(starts) || !isView(whole)) return undefined;
    return { sum, starts, view: whole };
  } catch (thrown) {
    if (thrown instanceof SyntaxError || isSystemError(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Returns how long it is. Losing it costs time only, so nothing is synced; a folder that can't be written keeps none.
 */
function writeSnapshot(folder: SessionFolder, snapshot: Snapshot): number {
  const { view, ...rest } = snapshot;
  const text = `{"head":${JSON.stringify(headOf(folder))},"view":${jsonByParts(encodeView(view))},${JSON.stringify(rest).slice(1)}`;
  const signed = `${text}\n${checksum(text)}`;
  const { view: path, readerView } = folder;
  const outcome = replaceFile(path, signed);
  if (readerView === undefined) return text.length;
  if (outcome === "written") discard(readerView);
  else if (outcome === "no folder") writeReaderView(folder, readerView, signed);
  return text.length;
}

/** The run's own folder is not made: it would look like a run whose journal is lost. */
function writeReaderView(folder: SessionFolder, path: string, text: string): void {
  try {
    createSessionsDir(dirname(folder.dir));
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return;
  }
  replaceFile(path, text);
}

function replaceFile(path: string, text: string): "written" | "no folder" | "failed" {
  const temporary = temporaryName(dirname(path));
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
    return "written";
  } catch (thrown) {
    discard(temporary);
    if (!isSystemError(thrown)) throw thrown;
    return systemCode(thrown) === "ENOENT" ? "no folder" : "failed";
  }
}

/**
 * Part by part: one character beyond Latin-1 makes the text around it four times as slow to write, and a view has such
 * characters in few of its parts.
 */
function jsonByParts(view: object): string {
  const parts: string[] = [];
  for (const [name, part] of Object.entries(view) as readonly (readonly [string, unknown])[])
    if (part !== undefined) parts.push(`${JSON.stringify(name)}:${JSON.stringify(part)}`);
  return `{${parts.join(",")}}`;
}

function headOf(folder: SessionFolder): string {
  return `${viewFormat} ${version} ${folder.id}`;
}

function areEvents(value: unknown): value is readonly StoredEvent[] {
  return Array.isArray(value) && value.every(isStoredEvent);
}

function isStoredEvent(value: unknown): value is StoredEvent {
  if (!isRecord(value)) return false;
  const { seq, at, type } = value;
  return typeof seq === "number" && typeof at === "number" && typeof type === "string";
}

const emptyView: Readonly<Record<string, unknown>> = { ...createSessionView("") };

/**
 * Every part is of the kind that this version's views have there. The contents of a part are guaranteed by version and
 * checksum.
 */
function isView(value: Readonly<Record<string, unknown>> | undefined): value is SessionView & Record<string, unknown> {
  return value !== undefined && Object.keys(emptyView).every((name) => isOfKind(value[name], emptyView[name]));
}

/** A part that a new view does not have yet may be anything. */
function isOfKind(value: unknown, empty: unknown): boolean {
  if (empty === undefined) return true;
  if (PersistentMap.is(empty)) return PersistentMap.is(value);
  if (Array.isArray(empty)) return Array.isArray(value);
  return isRecord(empty) ? isRecord(value) : typeof value === typeof empty;
}

/** What is in the maps of `T`: other maps, or values without any. */
type MapsIn<T> = {
  readonly [Name in keyof T as T[Name] extends PersistentMap<unknown> ? Name : never]: T[Name] extends PersistentMap<
    PersistentMap<unknown>
  >
    ? "maps"
    : "values";
};

const viewMaps: MapsIn<SessionView> = {
  tasks: "values",
  completedAt: "values",
  questions: "values",
  agentSessions: "maps",
  outages: "values",
  live: "values",
  nodes: "values",
  visits: "values",
  turns: "values",
  spentByTask: "values",
  spentByAgent: "values",
  spentByModel: "values",
  evidence: "values",
};

const spendingMaps: MapsIn<RunSpending> = { begun: "maps", rounds: "values", underWay: "values", costliest: "values" };

/**
 * Maps as lists of entries. Only where this version has maps: whatever users put into a task or an option is written
 * and read as it is, and the rest of a view, which is nearly all of it, is not walked through.
 */
function encodeView(view: SessionView): object {
  return {
    ...view,
    ...listsOf(view, viewMaps),
    spending: { ...view.spending, ...listsOf(view.spending, spendingMaps) },
  };
}

function listsOf<Name extends string>(
  parts: Readonly<Record<NoInfer<Name>, PersistentMap<unknown>>>,
  maps: Readonly<Record<Name, "maps" | "values">>,
): object {
  const lists: Record<string, readonly Entry[]> = {};
  for (const name in maps) lists[name] = entriesOf(parts[name]);
  return lists;
}

function entriesOf(map: PersistentMap<unknown>): readonly Entry[] {
  return map.map((item, key) => [key, PersistentMap.is(item) ? entriesOf(item) : item]);
}

function decodeView(view: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(view) || !isRecord(view["spending"])) return undefined;
  const { spending } = view;
  return { ...view, ...mapsOf(view, viewMaps), spending: { ...spending, ...mapsOf(spending, spendingMaps) } };
}

function mapsOf(parts: Readonly<Record<string, unknown>>, maps: Readonly<Record<string, "maps" | "values">>): object {
  return Object.fromEntries(Object.entries(maps).map(([name, items]) => [name, mapOf(parts[name], items === "maps")]));
}

/** Built on first access: most readers need few of them. Undefined for what is not a list. */
function mapOf(entries: unknown, hasMaps: boolean): PersistentMap<unknown> | undefined {
  if (!isList(entries)) return undefined;
  const valid = entries.filter(isEntry);
  if (!hasMaps) return PersistentMap.lazy(valid.length, () => valid);
  return PersistentMap.of(valid.map(([key, items]) => [key, mapOf(items, false)] as const));
}

type Entry = readonly [string, unknown];

function isEntry(value: unknown): value is Entry {
  return isList(value) && value.length === 2 && typeof value[0] === "string";
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
