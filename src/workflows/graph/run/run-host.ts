// What the parts around a graph being run see of it; GraphRun is the one implementation. Keeps imports one way.

import type { CompiledGraph } from "../compile/compiled-graph.ts";
import type { CompiledSubgraph } from "../model/compiled-subgraph.ts";
import type { StateFold, StateValue } from "../model/fold.ts";
import type { Recorder } from "../record/recorder.ts";
import type { Token } from "../schedule/token.ts";
import type { RunControl } from "./run-control.ts";
import type { Subgraphs } from "./subgraphs.ts";

export interface RunHost {
  readonly graph: CompiledGraph<Record<string, unknown>>;
  readonly fold: StateFold;
  readonly control: RunControl;
  readonly recorder: Recorder;
  readonly subgraphs: Subgraphs<RunHost>;
  /** Finished or failed: nothing may begin in it any more. */
  readonly isOver: boolean;
  /** The last state, once the graph has finished. */
  readonly final: StateValue | undefined;
  /** Asks everything in it to stop; what still runs is waited for. */
  fail(reason: Error): void;
  readonly isQuiet: boolean;
  /** Resolves when nothing in it runs any more. */
  whenQuiet(): Promise<void>;
  /** Nothing waits for it any more, or for what still runs in it. */
  giveUp(reason: Error): void;
  /** A node is done: the visit that this graph runs in has made progress. */
  noteProgress(): void;
  /** Drops what is known about a visit that has ended. Returns how many recorded steps inside it were not replayed. */
  closeVisit(key: string): number;
  /** A branch that only waits makes room for the next one. */
  releaseSlot(token: Token): void;
  /** Makes durable what was emitted, and takes a snapshot when one is due. */
  flush(): void | Promise<void>;
  runNested(
    graph: CompiledSubgraph<Record<string, unknown>>,
    state: Record<string, unknown>,
    at: NestedAt,
  ): Promise<Record<string, unknown>>;
}

/** Where a subgraph runs. */
export interface NestedAt {
  readonly path: string;
  readonly name: string | undefined;
  readonly parent: Readonly<Record<string, unknown>>;
  /** The body that waits for it: notified when it only waits, and when it continues. */
  readonly body: { beginWait(): void; endWait(): void };
}
