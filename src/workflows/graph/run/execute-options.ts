// What a run is started with, and its result.

import type { Json, JsonObject } from "../../../lib/json.ts";
import type { JournalStore } from "../../../journal/port.ts";
import type { AgentRunOptions } from "../model/agent-source.ts";
import type { ClientSource } from "../model/client-source.ts";
import type { PauseReason } from "../../../events/engine-events.ts";
import type { ReportedEvent } from "../../../events/reported-events.ts";
import type { RunEvent } from "../../../events/run-event.ts";
import type { OpenQuestion } from "../model/question.ts";
import type { NodeError, QuestionPolicy } from "./run-control.ts";
import type { Runtime } from "../model/runtime.ts";
import type { StepResult, StepUpdate } from "../model/step-result.ts";
import type { RunWarning } from "../record/warnings.ts";

export interface JournalOptions {
  readonly store: Pick<JournalStore, "open" | "remove">;
  /** The run's id. */
  readonly run: string;
  /** Resume a recorded run; the initial state is ignored. */
  readonly resume?: boolean | undefined;
  /** Take the run even from an owner that may be alive: for one that can't be seen from here. */
  readonly takeOver?: boolean | undefined;
}

export interface ExecuteOptions<S extends object> {
  readonly initialState?: Partial<S> | undefined;
  readonly runtime?: Partial<Runtime> | undefined;
  /**
   * The agent client of this run (`atomic/agents`): one, several in order of preference, or a function from a type to
   * one.
   */
  readonly client?: ClientSource | undefined;
  /** How its turns are taken. */
  readonly agentOptions?: AgentRunOptions | undefined;
  readonly journal?: JournalOptions | undefined;
  /** Aborting pauses the run; a reason made by `pauseWith` says why. */
  readonly signal?: AbortSignal | undefined;
  /** What happens to questions; default "suspend". */
  readonly questions?: QuestionPolicy | undefined;
  /** Answers by question id or text, known beforehand. */
  readonly answers?: Readonly<Record<string, Json>> | undefined;
  readonly maxSteps?: number | undefined;
  /** Events between two snapshots, at least; default 500. */
  readonly snapshotEvery?: number | undefined;
  /** How long a stopped run waits for what still runs; default 5,000. */
  readonly graceMs?: number | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  readonly onProgress?: ((event: { type: string; node: string; key: string; data: Json }) => void) | undefined;
  /** An attempt of a node threw this. Its stack is not part of the record. */
  readonly onNodeError?: ((failure: NodeError) => void) | undefined;
  readonly onStep?: ((step: StepResult<S>) => void | Promise<void>) | undefined;
  /** Called before `onStep`, for streams: it costs less than half as much. */
  readonly onUpdate?: ((step: StepUpdate<S>) => void | Promise<void>) | undefined;
  /** Added to the run's first and last event by the layer above: agent, totals. */
  readonly startedWith?: JsonObject | undefined;
  readonly endsWith?: (() => JsonObject) | undefined;
  /**
   * Asked when the graph has finished: what is left to do before the run counts as completed, or undefined. What that
   * throws fails the run.
   */
  readonly beforeCompleted?: (() => ((ending: RunEnding) => Promise<void>) | undefined) | undefined;
}

/** What the layer above can do between the last node and the end of the run. */
export interface RunEnding {
  /** Aborted when the run is paused or cancelled meanwhile. */
  readonly signal: AbortSignal;
  /** Like `ctx.step`: a recorded part is not repeated when the run is resumed. */
  readonly step: <T extends Json>(name: string, body: () => Promise<T>) => Promise<T>;
  /** Like `ctx.record`. */
  readonly record: (event: ReportedEvent) => void;
}

export interface ExecutionResult<S extends object> {
  readonly status: "completed" | "failed" | "paused" | "cancelled";
  /** Why it paused. */
  readonly reason?: PauseReason | undefined;
  /** The final state, or the state so far. */
  readonly state: S;
  /** What failed, or the limit that was reached. */
  readonly error?: Error | undefined;
  /** What it waits for. */
  readonly questions: readonly OpenQuestion[];
  readonly steps: number;
  /** What went wrong without stopping the run. */
  readonly warnings?: readonly RunWarning[] | undefined;
}
