// The parts of a node's context that are created on first use. Most bodies only read the state and need none of them.

import type { Attempt } from "../model/node.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Abortable } from "./run-control.ts";
import type { VisitActivity } from "./visit-activity.ts";

export interface ContextParts {
  key: string | undefined;
  controller: AbortController | undefined;
  /** Aborts the attempt through that controller when the run stops. */
  abortable: Abortable | undefined;
  attempt: Attempt | undefined;
  runtime: Runtime | undefined;
  uses: Map<string, number> | undefined;
  activity: VisitActivity | undefined;
  /** What the body called and may not have awaited yet. */
  calls: Set<Promise<unknown>> | undefined;
  /** Ends sleeps when the attempt fails, while the signal only reports a stop. */
  sleeping: AbortController | undefined;
}

export function noContextParts(): ContextParts {
  return {
    key: undefined,
    controller: undefined,
    abortable: undefined,
    attempt: undefined,
    runtime: undefined,
    uses: undefined,
    activity: undefined,
    calls: undefined,
    sleeping: undefined,
  };
}
