// "Not found" texts that help: they suggest the nearest name among those that exist.

import { nearest } from "./did-you-mean.ts";
import { safeLine } from "./safe-text.ts";

/** `Skill not found: "comit" (did you mean "commit"?)`, or without the question when nothing is near. */
export function notFoundText(kind: string, name: string, candidates: Iterable<string>): string {
  const near = nearest(name, candidates);
  const text = `${kind} not found: "${safeLine(name, 80)}"`;
  return near === undefined ? text : `${text} (did you mean "${safeLine(near, 80)}"?)`;
}
