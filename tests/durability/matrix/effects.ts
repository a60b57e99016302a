// What bodies did, as lines of a file that outlives the process that wrote them: each line is on disk before the body
// continues. The one place where a body that ran without being recorded can be seen.

import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

export interface Effect {
  /** The visit, or the part of one, whose body ran. */
  readonly key: string;
  /** The attempt failed on purpose. */
  readonly failed?: true;
}

export class Effects {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  add(effect: Effect): void {
    const fd = openSync(this.#path, "a");
    try {
      writeSync(fd, `${JSON.stringify(effect)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** All effects. A line that a kill cut off does not count. */
  read(): Effect[] {
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch {
      return [];
    }
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Effect);
  }
}
