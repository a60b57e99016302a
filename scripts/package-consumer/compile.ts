// Compiled in an empty project against the packed declarations, with the two module resolutions authors use.
// What must not compile is marked, and the compiler complains about a mark that is not needed.

import {
  AtomicError,
  type BaseState,
  type ErrorCode,
  graph,
  toolNode,
  type WorkflowStateParams,
} from "atomic/workflows";
import { AtomicError as EngineError } from "atomic/workflows/graph";
import type * as postgres from "atomic/workflows/postgres";
import type * as sqlite from "atomic/workflows/sqlite";
import type * as agents from "atomic/agents";
import type * as testing from "atomic/testing";
import type { Json } from "atomic/types";

export type { agents, postgres, sqlite, testing };

// One declaration per class, whichever subpath it came from.
export const sameClass: typeof AtomicError = EngineError;
export const value: Json = { list: [1, "two", null] };
// @ts-expect-error a code that does not exist
export const wrongCode: ErrorCode = "NO_SUCH_CODE";
// @ts-expect-error a function is not JSON
export const notJson: Json = { f: () => 1 };

// A workflow as authors write it.
interface State extends BaseState {
  topic: string;
  words?: string[];
}
export function createState(params: WorkflowStateParams): State {
  return { executionId: params.sessionId, outputs: {}, topic: params.prompt };
}
export const compiled = graph<State>()
  .start(toolNode({ id: "split", execute: ({ topic }) => topic.split(" "), outputMapper: (words) => ({ words }) }))
  .if((state) => (state.words?.length ?? 0) > 1)
  .then(toolNode({ id: "many", execute: () => "many" }))
  .endif()
  .compile({ checkpointing: true });
// @ts-expect-error a state has no such key
export const noSuchKey = graph<State>().start(toolNode({ id: "x", execute: () => 1, outputMapper: () => ({ no: 1 }) }));
