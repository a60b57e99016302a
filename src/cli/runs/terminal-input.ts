// Lines typed at the terminal, while the program does other things. Line by line and not key by key: Ctrl+C stays a
// signal.

import { createInterface } from "node:readline";

/** Lines that a user types. */
export interface TerminalInput {
  onLine(listener: (line: string) => void): void;
  /** The user, or the pipe, has ended the input. */
  onEnd(listener: () => void): void;
  close(): void;
}

/** Nothing is read before there is a listener. */
export function createTerminalInput(): TerminalInput {
  let lines: ReturnType<typeof createInterface> | undefined;
  const reading = (): ReturnType<typeof createInterface> =>
    (lines ??= createInterface({ input: process.stdin, terminal: false }));
  return {
    onLine: (listener) => void reading().on("line", listener),
    onEnd: (listener) => void reading().on("close", listener),
    close() {
      lines?.close();
      if (lines !== undefined) process.stdin.unref();
    },
  };
}
