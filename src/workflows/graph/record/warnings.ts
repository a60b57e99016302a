// Problems that do not stop the run: a listener that threw, values that were lost. Each is recorded once, as an event
// that front ends show, and returned with the result.

import type { WriteConflict } from "../model/fold.ts";
import type { Recorder } from "./recorder.ts";

export interface RunWarning {
  /** The kind of warning, for programs: `listener-failed`, `write-conflict`. */
  readonly kind: string;
  readonly message: string;
}

export class Warnings {
  readonly #recorder: Recorder;
  readonly #all: RunWarning[] = [];

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  get all(): readonly RunWarning[] {
    return this.#all;
  }

  /** Each kind is reported once per subject. */
  add(warning: RunWarning, subject: string): void {
    const { warned } = this.#recorder;
    const id = `${warning.kind} ${subject}`;
    if (warned.has(id)) return;
    warned.add(id);
    this.#all.push(warning);
    if (this.#recorder.isOn) this.#recorder.emit({ type: "run.warned", ...warning, subject });
  }
}

export function writeConflict(parallel: string, { key, nodes }: WriteConflict): RunWarning {
  const named = nodes.slice(-4).map((node) => `"${node}"`);
  const more = nodes.length > named.length ? ` (and ${nodes.length - named.length} more)` : "";
  const message = `Branches of "${parallel}" wrote the state key "${key}", which has no reducer: ${named.join(", ")}${more}. The value of ${named.at(-1) ?? ""} is kept, the others are lost. Give the key a reducer, or let one branch write it.`;
  return { kind: "write-conflict", message };
}
