// The same data for people or for programs.

import { safeText } from "../lib/safe-text.ts";
import type { Io } from "./io.ts";
import { safeJson } from "../lib/safe-json.ts";

/** `text` is only made when it is wanted. */
export function printData(io: Io, isJson: boolean, data: object, text: () => string): void {
  io.print(isJson ? safeJson(data, 2) : safeText(text()));
}
