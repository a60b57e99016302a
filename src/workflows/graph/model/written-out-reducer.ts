// Recognises an author's reducer that is a hand-written append or spread, such as `(a, b) => [...a, ...b]`. Called once
// per update it copies the whole list each time, so joining many branches would take time that grows with the square of
// their number; the built-in reducer that does the same folds all updates in one pass. Only the source of the function
// is inspected, and it must use nothing but its two parameters. Every other reducer is called.

import { Reducers } from "./state.ts";

/** The bodies that are recognised, with the parameters as \1 and \2. */
const bodies: readonly (readonly [RegExp, unknown])[] = [
  [functionThatReturns(String.raw`\[\.\.\.\1,\.\.\.\2,?\]`), Reducers.concat],
  [functionThatReturns(String.raw`\1\.concat\(\2\)`), Reducers.concat],
  [functionThatReturns(String.raw`\(?\{\.\.\.\1,\.\.\.\2,?\}\)?`), Reducers.merge],
];

/** The built-in reducer that does the same with lists, or with objects; undefined when none is known to. */
export function builtInEquivalent(reducer: unknown): unknown {
  if (typeof reducer !== "function" || reducer.length !== 2) return undefined;
  // Spaces matter only between two words.
  const text = Function.prototype.toString
    .call(reducer)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([^\w$]) ?/g, "$1");
  return bodies.find(([pattern]) => pattern.test(text))?.[1];
}

function functionThatReturns(result: string): RegExp {
  const name = String.raw`([A-Za-z_$][\w$]*)`;
  const returned = `(?:${result}|\\{return ?${result};?\\})`;
  return new RegExp(`^\\(${name},${name},?\\)=>${returned}$`);
}
