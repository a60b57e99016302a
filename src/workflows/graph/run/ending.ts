// Between the last node of a run and its end: what the layer above still has to do, with steps that are recorded under a
// separate key. Pausing and cancelling work as they do inside a node.

import { type Json, toJson } from "../../../lib/json.ts";
import type { RunEnding } from "./execute-options.ts";
import { endingKey as key } from "../model/visit-key.ts";
import type { RunControl } from "./run-control.ts";

export async function runEnding(control: RunControl, body: (ending: RunEnding) => Promise<void>): Promise<void> {
  const { recorder, runtime } = control;
  const controller = new AbortController();
  control.addAbortable(controller);
  const ending: RunEnding = {
    signal: controller.signal,
    async step<T extends Json>(name: string, part: () => Promise<T>): Promise<T> {
      const { values } = recorder.open.get(key);
      if (Object.hasOwn(values, name)) return values[name] as T;
      control.throwIfStopped();
      const value = toJson(await part(), { source: `"${name}"`, path: "value", redact: runtime.redact });
      values[name] = value;
      recorder.emit({ type: "step.finished", key, step: name, value });
      await recorder.flush();
      return value as T;
    },
    record: (event) =>
      recorder.emitOwn(
        toJson(event, { source: "the run", path: "", redact: runtime.redact, isContainer: true }) as typeof event,
      ),
  };
  try {
    await body(ending);
    control.throwIfStopped();
  } finally {
    control.removeAbortable(controller);
  }
}
