// What the screens about runs need from the program. Everything comes in through this port, so that a component knows
// no application and a test needs none.

import type { RunEvent } from "../../events/run-event.ts";
import type { Json } from "../../lib/json.ts";
import type { TranscriptEntry } from "../../transcript/transcript-entry.ts";
import type { AnyReducer } from "../../workflows/graph/model/reduce.ts";
import type { RunTotals } from "../../workflows/limits/run-spending.ts";
import type { OpenQuestionView, SessionView } from "../../workflows/sessions/session-view.ts";

/** `interrupted`: no process is behind it. `elsewhere`: its process can't be seen from here. */
export type RunRowStatus = SessionView["status"] | "interrupted" | "elsewhere" | "unreadable";

/** A run in a list. */
export interface RunRow {
  readonly id: string;
  readonly workflow: string;
  readonly status: RunRowStatus;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly agent: string;
  readonly prompt: string;
  readonly cwd: string;
  readonly updatedAt: number;
  readonly tasks: { readonly completed: number; readonly total: number };
  readonly totals: Pick<RunTotals, "costUsd">;
  readonly questions: readonly OpenQuestionView[];
}

export interface EvidenceCheck {
  readonly command: string;
  /** Null: ended by a signal or a time limit. */
  readonly exitCode: number | null;
  readonly tree: string | undefined;
  readonly at: number;
  readonly age:
    | { readonly state: "fresh" | "unknown" }
    /** How many files differ, where that is known. */
    | { readonly state: "stale"; readonly files: number | undefined };
}

/** A task, or the whole run, and its evidence. */
export interface Requirement {
  readonly task: string | null;
  readonly title: string;
  readonly status: string;
  readonly checks: readonly EvidenceCheck[];
}

/** Declined: the question gets its default. */
export type RunAnswer = { readonly value: Json } | { readonly isDeclined: true };

/** By the key of the state. */
export type OwnReducers = Readonly<Record<string, AnyReducer>>;

export interface RunsPort {
  /** Runs of all folders and processes, the newest first. */
  list(): Promise<{ readonly runs: readonly RunRow[]; readonly left: number }>;
  /** The run to show when none was chosen: the newest of this folder. */
  newest(): Promise<string | undefined>;
  /** Its current view, without reading all of its record. */
  page(id: string): Promise<{ readonly view: SessionView; readonly status: RunRowStatus }>;
  /** Its status, from its record and whether a process is behind it. */
  status(id: string, recorded: SessionView["status"]): Promise<RunRowStatus>;
  /** The events from this one on, as far as there are any. */
  events(id: string, from: number): AsyncIterable<RunEvent>;
  /** What comes, until the run stops or its process is gone. */
  follow(id: string, options: { readonly from: number; readonly signal: AbortSignal }): AsyncIterable<RunEvent>;
  /** What its agents did; with a signal also what comes until that aborts. */
  transcript(id: string, options: { readonly until?: AbortSignal | undefined }): AsyncIterable<TranscriptEntry>;
  /** How the run's workflow combines updates of its state. None where its file isn't trusted, or can't be loaded. */
  reducers(id: string): Promise<OwnReducers>;
  /** What was checked, and whether the folder still holds what was checked. */
  evidence(id: string): Promise<readonly Requirement[]>;
  /** Each of these resolves with a sentence for the user, and throws an AtomicError for what can't be done. */
  pause(id: string): Promise<string>;
  cancel(id: string): Promise<string>;
  answer(id: string, question: OpenQuestionView, answer: RunAnswer): Promise<string>;
  /** In this process; it is paused when the screen is left. Throws FOLDER_BUSY unless that does not matter. */
  resume(id: string, options: { readonly isConcurrent: boolean }): Promise<string>;
  /** A new run with everything up to this event; gives its id. The old one stays as it is. */
  fork(id: string, seq: number): Promise<string>;
  now(): number;
}
