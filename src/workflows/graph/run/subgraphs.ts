// The subgraphs inside visits of a graph that are not over yet. They stay until their visit is over, even when they
// have ended themselves: a snapshot taken while the body still runs must not let them start again.

import type { GraphSnapshot } from "../record/graph-snapshot.ts";
import { visitOfSubgraph } from "../model/visit-key.ts";
import type { RunControl } from "./run-control.ts";

/** The part of a graph run that this file needs. */
interface InnerRun {
  fail(reason: Error): void;
  giveUp(reason: Error): void;
  readonly isQuiet: boolean;
  whenQuiet(): Promise<void>;
}

export class Subgraphs<Run extends InnerRun> {
  /** By path. */
  readonly begun = new Map<string, Run>();
  /** The same for graphs of one node that are not recorded: no snapshot has them. */
  readonly singles = new Map<string, InnerRun>();
  /** Their positions in the snapshot that this run continues from, until they start again. */
  readonly restored: Map<string, GraphSnapshot>;

  constructor(restored: Map<string, GraphSnapshot> = new Map()) {
    this.restored = restored;
  }

  takeRestored(path: string): GraphSnapshot | undefined {
    if (this.restored.size === 0) return undefined;
    const snapshot = this.restored.get(path);
    this.restored.delete(path);
    return snapshot;
  }

  all(): InnerRun[] {
    return [...this.begun.values(), ...this.singles.values()];
  }

  #runsOf(visit: string): InnerRun[] {
    return [...this.begun, ...this.singles].flatMap(([path, run]) => (visitOfSubgraph(path) === visit ? [run] : []));
  }

  /** Stops those of an attempt that is given up. */
  giveUp(visit: string, reason: Error): void {
    for (const run of this.#runsOf(visit)) run.giveUp(reason);
  }

  /** Waits for those of an attempt whose body has ended; with a reason, they are asked to stop. */
  async drain(visit: string, reason: Error | undefined, control: Pick<RunControl, "withinGrace">): Promise<void> {
    const own = this.#runsOf(visit);
    if (reason !== undefined) for (const run of own) run.fail(reason);
    const busy = own.filter((run) => !run.isQuiet);
    if (busy.length > 0) await control.withinGrace(Promise.all(busy.map((run) => run.whenQuiet())));
  }

  /** The visit is over. Gives the paths of what is forgotten. */
  forget(visit: string): readonly string[] {
    if (this.begun.size === 0 && this.restored.size === 0) return [];
    const paths = [...this.begun.keys(), ...this.restored.keys()].filter((path) => visitOfSubgraph(path) === visit);
    for (const path of paths) {
      this.begun.delete(path);
      this.restored.delete(path);
    }
    return paths;
  }
}
