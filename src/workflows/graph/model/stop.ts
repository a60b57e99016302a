// Why a run stops before its end.

import type { Json } from "../../../lib/json.ts";
import type { PauseReason } from "../../../events/engine-events.ts";

export type Stop =
  | {
      readonly kind: "pause";
      readonly reason: PauseReason;
      readonly details?: Readonly<Record<string, Json>>;
      /** The limit that was reached, for callers that expect a state instead of a run. */
      readonly error?: Error;
    }
  | { readonly kind: "cancel" }
  | { readonly kind: "fail"; readonly error: Error };
