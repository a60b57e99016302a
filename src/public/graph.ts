// `atomic/workflows/graph`: the engine. Runs on Bun and on Node 20, and imports no package.

export { AtomicError, type AtomicErrorOptions, type ErrorCode } from "../lib/errors.ts";
export type { Json, JsonObject } from "../lib/json.ts";
export { type Clock, systemClock } from "../lib/clock.ts";
export type {
  JournalEvent,
  JournalHandle,
  JournalStore,
  OpenOptions,
  OwnerState,
  PendingRequest,
  ReadOptions,
  RunInfo,
  RunRequest,
  Snapshot,
  StoredEvent,
} from "../journal/port.ts";
export { MemorySaver } from "../journal/memory.ts";
