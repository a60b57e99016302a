// Which screen is shown. Pure.

import type { FrameAction } from "../keys/key-table.ts";

export const screenNames = ["chat", "control", "runs", "evidence"] as const;
export type ScreenName = (typeof screenNames)[number];

export function nextScreen(now: ScreenName, action: FrameAction): ScreenName {
  switch (action) {
    case "nextScreen":
      return screenNames[(screenNames.indexOf(now) + 1) % screenNames.length] ?? "chat";
    case "showChat":
      return "chat";
    case "showControl":
    case "showTasks":
      return "control";
    case "showRuns":
      return "runs";
    case "showEvidence":
      return "evidence";
  }
}
