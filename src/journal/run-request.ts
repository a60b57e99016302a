// Requests as they are stored: JSON text that any process of the user may have written, so it is parsed, not trusted.

import type { Json } from "../lib/json.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { PendingRequest, RunRequest } from "./port.ts";

/** The request in a stored text; undefined for one that this version does not know and leaves alone. */
export function parseRunRequest(text: string): RunRequest | undefined {
  const value = parseJson(text)?.value;
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  if (value.type === "pause" || value.type === "cancel") return { type: value.type };
  if (value.type !== "answer" || !("question" in value) || !("value" in value)) return undefined;
  if (typeof value.question !== "string") return undefined;
  return {
    type: "answer",
    question: value.question,
    ...("key" in value && typeof value.key === "string" && { key: value.key }),
    // It came out of JSON.parse, so it is JSON.
    value: value.value as Json,
    ...("isDeclined" in value && value.isDeclined === true && { isDeclined: true }),
  };
}

/** The rows of a table that hold requests this version knows. */
export function requestsIn(rows: readonly Readonly<Record<string, unknown>>[]): readonly PendingRequest[] {
  return rows.flatMap(({ id, body }) => {
    const request = parseRunRequest(String(body));
    return request === undefined ? [] : [{ ...request, id: String(id) }];
  });
}
