// A copy of a value from the record that the caller may keep and change.

import { type Json, toJson } from "../../../lib/json.ts";
import { viewOf } from "../../../lib/json-view.ts";

/** Of a value that was read back from the record, or that an earlier attempt may still hold. */
export function ownCopy(value: Json): Json {
  return viewOf(toJson(value, { source: "the record", path: "value" }));
}
