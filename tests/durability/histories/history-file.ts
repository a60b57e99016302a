// Recorded runs that are kept forever: what one version wrote, every later one must read. A file holds the events of
// one finished run, the snapshots taken on the way, and its final state.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalEvent, Snapshot } from "../../../src/journal/port.ts";
import type { Json } from "../../../src/lib/json.ts";
import type { GraphKit } from "../matrix/graph-kit.ts";
import { matrixGraphs } from "../matrix/graphs.ts";
import type { Written } from "../tape.ts";

export const historiesFolder = join(import.meta.dir, "../../fixtures/histories");

export interface History {
  /** The journal's format at that time. */
  readonly format: number;
  /** The graph of the matrix that was run. It must stay as it is: a changed graph gets a new name. */
  readonly graph: string;
  /** Appends and snapshots in order; the last one is the end of the run. */
  readonly tape: readonly (
    | { readonly kind: "append"; readonly events: readonly JournalEvent[] }
    | { readonly kind: "snapshot"; readonly snapshot: Snapshot }
  )[];
  readonly state: Json;
}

export function readHistories(): readonly { readonly name: string; readonly history: History }[] {
  return readdirSync(historiesFolder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => ({ name, history: JSON.parse(readFileSync(join(historiesFolder, name), "utf8")) as History }));
}

/** Those that complete by themselves: one that is retried or cancelled from outside has no natural end to replay to. */
export function graphsWithHistory(kit: GraphKit): readonly string[] {
  return Object.entries(matrixGraphs).flatMap(([name, make]) => {
    const { isRetried, cancelledAt } = make(kit);
    return isRetried === true || cancelledAt !== undefined ? [] : [name];
  });
}

export function tapeOf(history: History): readonly Written[] {
  return history.tape;
}
