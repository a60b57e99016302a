// The faults of a file that was loaded, each with its position, and the one error that lists them.

import { AtomicError, messageOf } from "../../lib/errors.ts";
import { safeText } from "../../lib/safe-text.ts";
import { Refusal } from "../diagnostics.ts";
import type { FieldFault } from "../modules/workflow-options.ts";
import { TookTooLong } from "./guarded-call.ts";
import { withoutMarks } from "./module-host.ts";

/** A path in the module (`graphConfig.edges[2].to`), or a line of a file (`lib/x.ts:12`). */
export type LoadFault = FieldFault;

export function fileInvalid(file: string, faults: readonly LoadFault[], cause?: unknown): AtomicError {
  const count = faults.length === 1 ? "one fault" : `${faults.length} faults`;
  const lines = faults.slice(0, 50).map(({ path, problem }) => `  ${path}: ${problem}`);
  if (faults.length > lines.length) lines.push(`  … and ${faults.length - lines.length} more`);
  const text = safeText(`${file} can't be used, ${count}:\n${lines.join("\n")}`);
  return new AtomicError("WORKFLOW_FILE_INVALID", text, {
    details: { file, faults },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The fault behind something that was thrown while the file was read or run. `limitMs` is for the text. */
export function faultOf(thrown: unknown, file: string, limitMs: number): LoadFault {
  if (thrown instanceof Refusal) {
    return { path: thrown.line === undefined ? file : `${file}:${thrown.line}`, problem: thrown.message };
  }
  if (thrown instanceof TookTooLong) {
    return { path: file, problem: `did not finish loading within ${limitMs / 1000} s, so it is not used` };
  }
  return { path: placeOf(thrown) ?? file, problem: withoutMarks(messageOf(thrown)) };
}

/** The faults that the graph compiler found, under the export they are in. */
export function graphFaults(thrown: unknown, path: string, file: string, limitMs: number): readonly LoadFault[] {
  if (AtomicError.is(thrown, "GRAPH_INVALID")) {
    const faults = thrown.details["faults"];
    if (Array.isArray(faults) && faults.every(isFault)) {
      return faults.map((fault) => ({ path: `${path}.${fault.path}`, problem: fault.problem }));
    }
  }
  const fault = faultOf(thrown, file, limitMs);
  return [{ path: fault.path === file ? path : `${path} (${fault.path})`, problem: fault.problem }];
}

function isFault(value: unknown): value is LoadFault {
  if (typeof value !== "object" || value === null || !("path" in value) || !("problem" in value)) return false;
  return typeof value.path === "string" && typeof value.problem === "string";
}

/** The first frame of the stack in a served file. (A line without a column is one of the compiled output.) */
function placeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  const position: unknown = "position" in thrown ? thrown.position : undefined;
  if (typeof position === "object" && position !== null && "file" in position && "line" in position) {
    if (typeof position.file === "string" && typeof position.line === "number") {
      return `${withoutMarks(position.file)}:${position.line}`;
    }
  }
  const stack = "stack" in thrown && typeof thrown.stack === "string" ? thrown.stack : "";
  const match = /([^\s()]+)\?atomic=[\da-f]{16}-\d+\.verified:(\d+):\d+/.exec(stack);
  return match === null ? undefined : `${match[1]}:${match[2]}`;
}
