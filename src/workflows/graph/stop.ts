// Why a run stops before its end.

import type { Json } from "../../lib/json.ts";
import type { PauseReason } from "./events.ts";

export type Stop =
  | { readonly kind: "pause"; readonly reason: PauseReason; readonly details?: Readonly<Record<string, Json>> }
  | { readonly kind: "cancel" }
  | { readonly kind: "fail"; readonly error: Error };
