// What a node tells while it works: shown, never stored, without a number.

import type { Json } from "../lib/json.ts";

export interface ProgressNote {
  readonly type: string;
  readonly node: string;
  /** The node's visit. */
  readonly key: string;
  readonly data: Json;
}
