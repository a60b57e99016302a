// What went wrong without stopping the run: a listener that threw, values that were lost. Each is recorded once, as an
// event that front ends show, and returned with the result.

import type { Recorder } from "./recorder.ts";

export interface RunWarning {
  /** What kind of thing it is, for programs: `listener-failed`, `write-conflict`. */
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

  /** `subject`: what it is about; the same kind is told once of it. */
  add(warning: RunWarning, subject: string): void {
    const { warned } = this.#recorder;
    const id = `${warning.kind} ${subject}`;
    if (warned.has(id)) return;
    warned.add(id);
    this.#all.push(warning);
    if (this.#recorder.isOn) this.#recorder.emit({ type: "run.warned", ...warning, subject });
  }
}
