// Lines typed at the terminal, while the program does other things. Line by line and not key by key: Ctrl+C stays a signal.

import { createInterface } from "node:readline";

/** Lines that a person types. */
export interface TerminalInput {
  onLine(listener: (line: string) => void): void;
  close(): void;
}

/** Nothing is read before somebody listens. */
export function createTerminalInput(): TerminalInput {
  let lines: ReturnType<typeof createInterface> | undefined;
  return {
    onLine(listener) {
      lines ??= createInterface({ input: process.stdin, terminal: false });
      lines.on("line", listener);
    },
    close() {
      lines?.close();
      if (lines !== undefined) process.stdin.unref();
    },
  };
}
