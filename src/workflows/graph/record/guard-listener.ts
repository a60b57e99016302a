// Listeners only watch: what one throws must not stop the run that it watches.

import { messageOf } from "../../../lib/errors.ts";
import { isPromise } from "../../../lib/is-promise.ts";
import type { Warnings } from "./warnings.ts";

export type Listener<T> = (item: T) => void | Promise<void>;

/** The same listener, which never throws. Its first failure becomes a warning; it is still called. */
export function guardListener<T>(
  name: string,
  listener: Listener<T> | undefined,
  warnings: () => Warnings,
): Listener<T> | undefined {
  if (listener === undefined) return undefined;
  const warn = (thrown: unknown): void => {
    const message = `${name} threw: ${messageOf(thrown)}. The run continues; the listener does not get this event again.`;
    warnings().add({ kind: "listener-failed", message }, name);
  };
  return (item) => {
    try {
      const heard = listener(item);
      return isPromise(heard) ? heard.catch(warn) : heard;
    } catch (thrown) {
      warn(thrown);
    }
  };
}
