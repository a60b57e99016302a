// The test's side of a run in another process.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { LiveTask } from "./child.ts";

export interface LiveMessage {
  readonly began?: string;
  readonly asked?: string;
  readonly ended?: string;
  readonly reason?: string;
  readonly error?: string;
  readonly log?: readonly string[];
  readonly refused?: string;
  readonly message?: string;
}

const limitMs = 30_000;

export class LiveProcess {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #exited: Promise<unknown>;
  #errors = "";

  /** `prefix` is a command that runs the rest of its arguments, to start the child under a limit. */
  constructor(task: LiveTask, prefix: readonly string[] = []) {
    const command = [process.execPath, "--no-env-file", join(import.meta.dir, "child.ts"), JSON.stringify(task)];
    const [program = "", ...rest] = [...prefix, ...command];
    this.#process = spawn(program, rest, {
      env: { PATH: "/usr/bin:/bin", HOME: task.folder, TMPDIR: task.folder, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process.stderr?.on("data", (data: Buffer) => (this.#errors += data.toString()));
    this.#exited = new Promise((resolve) => this.#process.on("close", resolve));
    this.#lines = createInterface({ input: this.#process.stdout! })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** The next message that fits; those before it are skipped. */
  async until(fits: (message: LiveMessage) => boolean): Promise<LiveMessage> {
    for (;;) {
      const { done, value } = await this.#within(this.#lines.next());
      if (done === true) throw new Error(`the process ended without saying so: ${this.#errors}`);
      const message = JSON.parse(value) as LiveMessage;
      if (fits(message)) return message;
    }
  }

  /** How it ended, or why it did not begin. */
  end(): Promise<LiveMessage> {
    return this.until(({ ended, refused }) => ended !== undefined || refused !== undefined);
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#within(this.#exited);
  }

  async #within<T>(promise: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`the process said nothing for ${limitMs} ms: ${this.#errors}`)),
        limitMs,
      );
    });
    try {
      return await Promise.race([promise, limit]);
    } finally {
      clearTimeout(timer);
    }
  }
}
