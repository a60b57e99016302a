// From the application to the port of the screens about runs.

import type { AppRuns } from "../app/runs/app-runs.ts";
import { chatWorkflow } from "../chat/chat-event.ts";
import type { RunsPort } from "./runs/runs-port.ts";

export type RunsSource = Pick<AppRuns, "list">;

const mostRuns = 500;

export function connectRuns({ runs, now }: { readonly runs: RunsSource; readonly now: () => number }): RunsPort {
  return {
    now,
    async list() {
      const { runs: all, left } = await runs.list(mostRuns);
      return { runs: all.filter(({ workflow }) => workflow !== chatWorkflow), left };
    },
  };
}
