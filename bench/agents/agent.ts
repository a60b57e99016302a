// What both ways to an agent have in common for a bench: a turn is run, and the arrival of its first text is reported.

export interface BenchAgent {
  /** Runs the prompt to its end. `onText` is called with every piece of text, as it comes. */
  turn(prompt: string, onText: (text: string) => void): Promise<void>;
  close(): Promise<void>;
}
