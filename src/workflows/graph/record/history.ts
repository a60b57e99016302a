// Reading a recorded run back: which graph it belongs to, where its last snapshot is, and what came after. Refuses a
// run that was cancelled, a graph that has changed and a state of another version, rather than guess.

import { foldOf } from "../compile/graph-fold.ts";
import { forEach } from "../../../lib/sync-items.ts";
import { endSentence } from "../../../lib/end-sentence.ts";
import { AtomicError, messageOf } from "../../../lib/errors.ts";
import { isJsonObject } from "../../../lib/is-record.ts";
import type { Json, JsonObject } from "../../../lib/json.ts";
import { adoptParsed, toJson } from "../../../lib/json.ts";
import type { JournalHandle, StoredEvent } from "../../../journal/port.ts";
import { isEngineType, readEvent, type RunEventOf } from "../../../events/run-event.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import { shapeOf } from "../compile/fingerprint.ts";
import { compareShapes, graphChanged } from "./graph-changes.ts";
import type { StateValue } from "../model/fold.ts";
import type { Recorder } from "./recorder.ts";
import { type GraphSnapshot, isGraphSnapshot } from "./graph-snapshot.ts";

type AnyGraph = CompiledGraph<Record<string, unknown>>;

export interface History {
  readonly initial: StateValue;
  readonly snapshot: GraphSnapshot | undefined;
  readonly stateVersion: number;
  readonly steps: number;
  /** It was started by a version that ended loops at the run's limit as if they were done. */
  readonly leavesLoopsAtLimit: boolean;
  /** It was started by a version that ran the catch in each branch that failed. */
  readonly catchesInBranches: boolean;
  /** It was completed before: there is a result to return, and nothing left to run. */
  readonly isCompleted: boolean;
}

export async function readHistory(
  handle: JournalHandle,
  journal: { readonly run: string },
  graph: AnyGraph,
  recorder: Recorder,
): Promise<History> {
  const { run } = journal;
  const body = snapshotBody(run, handle.snapshot);
  if (body !== undefined) recorder.restoreOpen(body);
  let started = undefined as RunEventOf<"run.started"> | undefined;
  let migratedTo = undefined as number | undefined;
  let isCompleted = false;
  await forEach(handle.history, (stored) => {
    const event = readEvent(stored);
    if (event.type === "run.started" && !event.resumed) started = event;
    if (event.type === "run.finished") {
      if (event.outcome === "cancelled") throw runFinished(run, event.outcome);
      isCompleted = event.outcome === "completed";
    }
    // One with a key was emitted by a node, when nodes could.
    if (stored.type === "state.migrated" && stored["key"] !== undefined) return;
    if (event.type === "state.migrated") migratedTo = event.to;
    if (event.type === "unknown" && isEngineType(stored.type)) throw unreadable(run, stored);
    recorder.replay(event);
  });
  if (started === undefined && body === undefined) {
    if (handle.lastSeq === 0) throw neverStarted(run);
    throw new AtomicError(
      "JOURNAL_CORRUPT",
      `The record of run ${run} does not begin with its start, so it can't be resumed. Remove the run and start a new one.`,
      { details: { run } },
    );
  }
  if (migratedTo !== undefined && body?.["stateVersion"] !== migratedTo) {
    throw new AtomicError(
      "STATE_VERSION",
      `Run ${run} was moved to another state version, and the snapshot taken then is missing. Restore its snapshots, or start a new run.`,
      { details: { run } },
    );
  }
  const initial = adoptParsed(started?.state ?? {}, { source: "the record", path: "state", isRecord: true });
  checkShape(graph, body?.["shape"] ?? started?.shape ?? null);
  return {
    initial: foldOf(graph).adopt(initial),
    snapshot: body === undefined ? undefined : graphOf(run, body),
    stateVersion: numberOf(body?.["stateVersion"]) ?? started?.stateVersion ?? 0,
    steps: numberOf(body?.["steps"]) ?? 0,
    leavesLoopsAtLimit: (body === undefined ? started?.loopLimit : body["loopLimit"]) !== "pause",
    catchesInBranches: (body === undefined ? started?.catches : body["catches"]) !== "once",
    isCompleted,
  };
}

function snapshotBody(run: string, snapshot: JournalHandle["snapshot"]): JsonObject | undefined {
  if (snapshot === undefined) return undefined;
  const { body } = snapshot;
  if (isJsonObject(body)) return body;
  throw strangeSnapshot(run);
}

function graphOf(run: string, body: JsonObject): GraphSnapshot {
  const { graph } = body;
  if (isGraphSnapshot(graph)) return graph;
  throw strangeSnapshot(run);
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function checkShape(graph: AnyGraph, recorded: Json): void {
  const shape = shapeOf(graph);
  // State keys may change together with the version of the state: migrateState is there for that.
  const before = isJsonObject(recorded) ? recorded : {};
  const comparable = before["stateVersion"] === shape.stateVersion ? recorded : { ...before, keys: shape.keys };
  const changes = compareShapes(comparable, shape);
  if (changes.length > 0) throw graphChanged(graph.config.name ?? "(unnamed)", changes);
}

/**
 * It was created, and its process ended before anything was stored: there is nothing to resume, and nothing is
 * damaged.
 */
function neverStarted(run: string): AtomicError {
  return new AtomicError(
    "RUN_NOT_FOUND",
    `Run ${run} was created and never started: nothing is recorded. Create it again.`,
    {
      details: { run },
    },
  );
}

/** The engine relies on these: one that lacks a field would be folded into a wrong state. */
function unreadable(run: string, { seq, type }: StoredEvent): AtomicError {
  return new AtomicError(
    "JOURNAL_CORRUPT",
    `Record ${seq} of run ${run} is a ${type} that lacks fields or has wrong ones, so the run can't be resumed. Remove the run and start a new one.`,
    { details: { run, seq } },
  );
}

/** Its bytes are intact, but no version writes such a record. */
function strangeSnapshot(run: string): AtomicError {
  return new AtomicError(
    "JOURNAL_CORRUPT",
    `The snapshot of run ${run} does not hold what a snapshot holds, so the run can't be resumed from it. Restore the store from a backup, or remove the run and start a new one.`,
    { details: { run } },
  );
}

function runFinished(run: string, outcome: string): AtomicError {
  return new AtomicError(
    "RUN_FINISHED",
    `Run ${run} is over (${outcome}), so there is nothing to resume. Start a new run.`,
    { details: { run, outcome } },
  );
}

/**
 * The function that brings a recorded state to the version that the graph has now; undefined when it is there already.
 */
export function migrationOf(graph: AnyGraph, history: History): ((state: StateValue) => StateValue) | undefined {
  const { stateVersion = 0, migrateState } = graph.config;
  const from = history.stateVersion;
  if (from === stateVersion) return undefined;
  const name = graph.config.name ?? "(unnamed)";
  if (from > stateVersion) {
    throw new AtomicError(
      "STATE_VERSION",
      `The run's state has version ${from}, and the workflow "${name}" has version ${stateVersion}. Resume it with the newer workflow.`,
    );
  }
  if (migrateState === undefined) {
    throw new AtomicError(
      "STATE_VERSION",
      `The run's state has version ${from}, the workflow "${name}" has version ${stateVersion} and no migrateState. Add one, or start a new run.`,
    );
  }
  return (state) => {
    try {
      const copy: Record<string, unknown> = JSON.parse(JSON.stringify(state));
      const given = migrateState(copy, from);
      const migrated = toJson(given, { source: "migrateState", path: "state", isRecord: true });
      if (!isJsonObject(migrated)) throw new Error("migrateState must return the state, an object.");
      return foldOf(graph).adopt(migrated);
    } catch (thrown) {
      throw new AtomicError(
        "STATE_VERSION",
        `The run's state could not be moved from version ${from} to ${stateVersion} of the workflow "${name}": ${endSentence(messageOf(thrown))} Nothing was changed: fix migrateState and resume again.`,
        { cause: thrown },
      );
    }
  };
}
