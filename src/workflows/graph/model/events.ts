// The engine's part of the event union: what it appends to a journal, and what `--json`, the screen and the fold on
// resume read. Layers above add events of their own (`task.updated`, `agent.turn-finished`) through `ctx.emit`.

import type { Json, JsonObject } from "../../../lib/json.ts";

/** A failure as it is stored. */
export interface ErrorRecord {
  readonly message: string;
  readonly code?: string;
  readonly name?: string;
}

/** Names the visit of a node that an event is about. */
interface OfVisit {
  readonly key: string;
  readonly node: string;
  readonly visit: number;
  readonly attempt: number;
}

export type PauseReason = "paused" | "needs-human" | "budget" | "interrupted";

export type EngineEvent = { readonly at: number } & (
  | {
      readonly type: "run.started";
      readonly workflow: string | null;
      readonly resumed: boolean;
      /** The rest only on the first start. */
      readonly state?: JsonObject;
      readonly stateVersion?: number;
      readonly shape?: Json;
      /** What a loop without a limit of its own does at the run's limit. Absent in runs of versions that left it there. */
      readonly loopLimit?: "pause";
    }
  | ({ readonly type: "node.started" } & OfVisit)
  | ({ readonly type: "node.finished"; readonly update?: JsonObject; readonly goto?: string } & OfVisit)
  | ({
      readonly type: "node.failed";
      readonly error: ErrorRecord;
      /** Another try follows at this time. */
      readonly retryAt?: number;
      /** The failure was handled: the run goes on there, or after the node with this update. */
      readonly goto?: string;
      readonly update?: JsonObject;
      /** The branch is given up; its parallel node goes on without it. */
      readonly lost?: true;
    } & OfVisit)
  | { readonly type: "attempt.noted"; readonly key: string; readonly attempt: number; readonly note: Json }
  | { readonly type: "step.finished"; readonly key: string; readonly step: string; readonly value: Json }
  | {
      readonly type: "wait.started";
      readonly key: string;
      readonly wait: string;
      readonly until: number;
      /** How long it takes, by the clock as it was then. */
      readonly forMs?: number;
    }
  | {
      readonly type: "question.asked";
      readonly key: string;
      readonly node: string;
      readonly question: JsonObject & { readonly id: string };
      /** What the visit calls it, where that is not its id. */
      readonly name?: string;
    }
  | {
      readonly type: "question.answered";
      readonly key: string;
      readonly question: string;
      readonly answer: Json;
      readonly by: string;
      /** The request it came with. */
      readonly request?: string;
    }
  | { readonly type: "branch.won"; readonly key: string; readonly branch: string }
  | {
      readonly type: "subgraph.started";
      readonly key: string;
      readonly workflow: string | null;
      readonly fingerprint: string;
    }
  | {
      /** Something went wrong that does not stop the run. */
      readonly type: "run.warned";
      readonly kind: string;
      readonly message: string;
      /** What it is about. The same kind is told once of it. */
      readonly subject: string;
    }
  | { readonly type: "run.paused"; readonly reason: PauseReason; readonly questions?: readonly Json[] }
  | {
      readonly type: "run.finished";
      readonly outcome: "completed" | "failed" | "cancelled";
      readonly error?: ErrorRecord;
    }
);

/** Types an author's own event can't use. */
export const engineEventTypes: ReadonlySet<string> = new Set<EngineEvent["type"]>([
  "run.started",
  "node.started",
  "node.finished",
  "node.failed",
  "attempt.noted",
  "step.finished",
  "wait.started",
  "question.asked",
  "question.answered",
  "branch.won",
  "subgraph.started",
  "run.warned",
  "run.paused",
  "run.finished",
]);
