// How the full-screen chat ends: what the screen reports, and what the command line makes of it.

/** What ended the screen first. */
export type TerminalEnding =
  | { readonly kind: "left" }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals }
  | { readonly kind: "error"; readonly error: unknown };

export type ScreenEnding = TerminalEnding & {
  /** Runs that were resumed on the screen, and can be resumed again. */
  readonly paused: readonly string[];
  /** A line for the terminal, below what was there before the screen. Doesn't wait for a terminal that takes nothing. */
  print(text: string): Promise<void>;
};
