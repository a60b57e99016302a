// The stored form of a run's position, written and read by snapshot.ts. Part of the journal's format: a change here must
// still read what was written before.

import type { Json } from "../../../lib/json.ts";
import type { StateValue } from "../model/fold.ts";
import type { TokenPhase } from "../schedule/token.ts";

export type StoredBranchContext = {
  readonly path: string;
  readonly visits: { readonly [id: string]: number };
  readonly loops: { readonly [id: string]: number };
  readonly segments: readonly number[];
  readonly fork: number | null;
  readonly branches: readonly number[];
  readonly passed: readonly number[];
};

/** Types and not interfaces, so that they are JSON to the compiler too. */
export type GraphSnapshot = {
  readonly base: StateValue;
  readonly segments: readonly { readonly order: readonly number[]; readonly delta: Json }[];
  readonly forks: readonly {
    readonly key: string;
    readonly node: string;
    readonly names: readonly string[];
    readonly seat: StoredBranchContext;
    readonly live: number;
    readonly lost: number;
    readonly failures: readonly string[];
  }[];
  readonly tokens: readonly {
    readonly seat: StoredBranchContext;
    readonly at: string;
    readonly visit: number;
    readonly phase: TokenPhase;
    readonly holdsSlot: boolean;
    readonly failure: Json;
    /** Absent in snapshots of earlier versions, and where nothing was caught. */
    readonly caught?: Json;
  }[];
  readonly ended: readonly number[];
  /** The graph has finished, with `base` as its last state. */
  readonly isFinal: boolean;
  readonly nested: { readonly [path: string]: GraphSnapshot };
};
