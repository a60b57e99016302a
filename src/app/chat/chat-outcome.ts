// What a front end does after a line was submitted: data, never a call into a screen. The names are those of the
// commands' contract.

import type { ModelInfo } from "../../agents/port.ts";
import type { ToolServer } from "../../agents/tool-servers.ts";

export interface ChatOutcome {
  readonly success: boolean;
  /** To be shown. */
  readonly message?: string | undefined;
  readonly clearMessages?: boolean | undefined;
  readonly destroySession?: boolean | undefined;
  readonly shouldExit?: boolean | undefined;
  /** The models to choose from. */
  readonly showModelSelector?: readonly ModelInfo[] | undefined;
  /** The paused runs of this folder, to choose one to resume. */
  readonly showRunSelector?: readonly ResumableRun[] | undefined;
  readonly themeChange?: "dark" | "light" | "toggle" | undefined;
  readonly showMcpOverlay?: boolean | undefined;
  readonly mcpSnapshot?: readonly ToolServer[] | undefined;
  readonly skillLoaded?: string | undefined;
  readonly compactionSummary?: string | undefined;
  readonly modelDisplayName?: string | undefined;
}

export interface ResumableRun {
  readonly id: string;
  readonly workflow: string;
  readonly prompt: string;
  /** Why it is paused, in a few words. */
  readonly reason: string;
  readonly updatedAt: number;
}
