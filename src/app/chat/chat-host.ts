// What chats need of the program around them: where they are kept, agents, time and masking.

import type { SandboxMode } from "../../lib/sandbox-mode.ts";
import type { RunStore } from "../../workflows/sessions/run-store.ts";
import type { OwnRuns } from "../own-runs.ts";
import type { RunStarterOptions } from "../runs-start.ts";

export interface ChatHost extends Omit<RunStarterOptions, "store" | "isOwn"> {
  readonly store: RunStore;
  /** The sandbox mode of the chat's agent. */
  readonly sandboxMode: SandboxMode;
  readonly own: Pick<OwnRuns, "note" | "require">;
}
