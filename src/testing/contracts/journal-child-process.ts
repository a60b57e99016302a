// The parent's side of a child of the journal contract: starts it with a separate environment, reads its messages,
// and kills it for real.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import type { ChildTask } from "./journal-child.ts";
import { inTime } from "./journal-harness.ts";

export interface ChildMessage {
  readonly opened?: number;
  readonly ready?: boolean;
  readonly stored?: number;
  readonly seq?: number;
  readonly n?: number;
  readonly refused?: string;
  readonly message?: string;
  readonly request?: { readonly type: string };
}

const limitMs = 15_000;

export class JournalChild {
  readonly #process: ChildProcess;
  readonly #messages: AsyncIterator<string>;
  readonly #exited: Promise<number | null>;
  #errors = "";

  /** `prefix` is a command that runs the rest of its arguments, to start the child under a limit. */
  constructor(command: readonly string[], task: ChildTask, prefix: readonly string[] = []) {
    const [program, ...rest] = [...prefix, ...command, JSON.stringify(task)];
    this.#process = spawn(program, rest, { env: { HOME: tmpdir(), PATH: "/usr/bin:/bin" }, stdio: "pipe" });
    // The child may already be gone.
    this.#process.stdin?.on("error", () => {});
    this.#process.stderr?.on("data", (data: Buffer) => (this.#errors += data.toString()));
    this.#exited = new Promise((resolve) => this.#process.on("close", resolve));
    this.#messages = createInterface({ input: this.#process.stdout! })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** The next message; undefined when the child has ended. */
  async next(): Promise<ChildMessage | undefined> {
    const { done, value } = await inTime(limitMs, "a message of the child", this.#messages.next());
    return done === true ? undefined : (JSON.parse(value) as ChildMessage);
  }

  /** The next message. Throws if the child has ended. */
  async expect(): Promise<ChildMessage> {
    const message = await this.next();
    if (message === undefined) throw new Error(`the child ended too early: ${this.#errors}`);
    return message;
  }

  async rest(): Promise<ChildMessage[]> {
    const messages: ChildMessage[] = [];
    for (let message = await this.next(); message !== undefined; message = await this.next()) messages.push(message);
    return messages;
  }

  /** Lets a child that waits on its standard input continue. */
  go(): void {
    this.#process.stdin?.write("go\n");
  }

  /** Ends its standard input, waits for the child to end by itself, and returns its exit code. */
  async end(): Promise<number | null> {
    this.#process.stdin?.end();
    return this.exited();
  }

  async exited(): Promise<number | null> {
    return inTime(limitMs, "the end of the child", this.#exited);
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.exited();
  }
}
