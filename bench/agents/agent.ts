// The common interface of both ways to reach an agent: runs a turn, and reports when its first text arrives.

export interface BenchAgent {
  /** Runs the prompt to its end. `onText` is called with every piece of text as it arrives. */
  turn(prompt: string, onText: (text: string) => void): Promise<void>;
  close(): Promise<void>;
}
