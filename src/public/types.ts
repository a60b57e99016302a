// `atomic/types`: types only; importing it loads no code.

export type { ErrorCode } from "../lib/errors.ts";
export type { Json, JsonObject } from "../lib/json.ts";
export type { JournalEvent, RunInfo, RunRequest, Snapshot, StoredEvent } from "../journal/port.ts";
