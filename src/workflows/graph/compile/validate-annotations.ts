// Checks the annotations of a state: each has the right shape, and its default is JSON that its reducer can fold.

import { AtomicError, messageOf } from "../../../lib/errors.ts";
import { toJson } from "../../../lib/json.ts";
import type { GraphFault } from "./graph-faults.ts";
import { describeValue } from "./graph-faults.ts";
import { Reducers } from "../model/state.ts";

export function findAnnotationFaults(annotations: unknown): GraphFault[] {
  if (annotations === undefined) return [];
  if (typeof annotations !== "object" || annotations === null || Array.isArray(annotations)) {
    return [
      { path: "stateAnnotations", problem: `must be an object of annotations, is ${describeValue(annotations)}` },
    ];
  }
  return Object.entries(annotations).flatMap(([key, annotated]) => {
    const problem = annotated === undefined ? undefined : problemOf(key, annotated);
    return problem === undefined ? [] : [{ path: `stateAnnotations.${key}`, problem }];
  });
}

function problemOf(key: string, annotated: unknown): string | undefined {
  const { reducer, default: value } = (annotated ?? {}) as { reducer?: unknown; default?: unknown };
  if (typeof reducer !== "function") return "is not an annotation; write annotation(default, reducer)";
  let given: unknown;
  try {
    given = typeof value === "function" ? (value as () => unknown)() : value;
    if (given !== undefined) toJson({ [key]: given }, { source: "default", path: "" });
  } catch (thrown) {
    return AtomicError.is(thrown, "NOT_JSON")
      ? `its default can't be stored: ${String(thrown.details["problem"])}`
      : `its default threw: ${messageOf(thrown)}`;
  }
  const shape = defaultShapes.find(([known]) => known === reducer);
  if (shape === undefined || shape[2](given)) return undefined;
  return `its reducer ${reducer.name} needs ${shape[1]} as default, got ${describeValue(given)}`;
}

/** What the defaults of the built-in reducers must be, by reducer. */
const defaultShapes: readonly [unknown, string, (value: unknown) => boolean][] = [
  [Reducers.concat, "a list", Array.isArray],
  [Reducers.mergeById, "a list", Array.isArray],
  [Reducers.merge, "an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value)],
  [Reducers.sum, "a number", isNumber],
  [Reducers.max, "a number", isNumber],
  [Reducers.min, "a number", isNumber],
  [Reducers.or, "a boolean", isBoolean],
  [Reducers.and, "a boolean", isBoolean],
];

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}
