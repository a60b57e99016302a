// The terminal is left as it was found, whatever ends the screen: leaving, a signal, an exception, a rejection, a
// throwing component, a closed terminal. Owns the order: the renderer restores what it knows, then every mode is reset
// once more, then the process continues or ends. Writes are guarded: after a hang-up they fail, and must not keep us
// alive.

import type { CliRenderer } from "@opentui/core";
import type { TerminalEnding } from "../../app/chat/screen-ending.ts";
import type { TerminalOutput } from "./output.ts";

/** Mouse, focus, paste, unicode and theme reports, the cursor, modified keys, kitty keys, colours, alternate screen. */
const resetSequence = [
  ...[1000, 1002, 1003, 1004, 1005, 1006, 2004, 2027, 2031].map((mode) => `\x1b[?${mode}l`),
  "\x1b[?25h",
  "\x1b[>4;0m",
  "\x1b[<u",
  "\x1b[0m",
  "\x1b[?1049l",
].join("");

export interface TerminalGuard {
  /** Resolves with the first thing that ends the screen; the terminal is restored by then. */
  readonly ended: Promise<TerminalEnding>;
  end(ending: TerminalEnding): void;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** OpenTUI's own handlers print and continue; they are removed. Ours stay until the screen has ended. */
export function guardTerminal(renderer: CliRenderer, output: TerminalOutput, stdin: NodeJS.ReadStream): TerminalGuard {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) process.removeAllListeners(event);
  let resolve: (ending: TerminalEnding) => void = () => undefined;
  const ended = new Promise<TerminalEnding>((done) => (resolve = done));
  let isOver = false;

  function end(ending: TerminalEnding): void {
    if (isOver) return;
    isOver = true;
    for (const release of releases) release();
    try {
      renderer.destroy();
    } catch (thrown) {
      // A terminal that is gone can't be restored; the modes below are still tried.
      if (!(thrown instanceof Error)) throw thrown;
    }
    void output.replace(resetSequence).then(() => resolve(ending));
  }

  const releases = [
    ...signals.map((signal) => {
      const listener = (): void => end({ kind: "signal", signal });
      process.on(signal, listener);
      return () => void process.off(signal, listener);
    }),
  ];
  // These stay: what was being highlighted when the renderer went is rejected a moment later, and ends nothing.
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      if (!isOver) return end({ kind: "error", error });
      if (!(error instanceof Error) || !/destroyed/i.test(error.message)) throw error;
    });
  }
  // The terminal was closed without a signal.
  const onEnd = (): void => end({ kind: "signal", signal: "SIGHUP" });
  stdin.once("end", onEnd);
  void output.hungUp.then(onEnd);
  releases.push(() => void stdin.off("end", onEnd));
  return { ended, end };
}
