// How long an agent is waited for. Nothing waits without one of these.

export interface TurnLimits {
  /** Opening a session, the start of its program included. */
  readonly openMs: number;
  /** Silence of the agent while no tool call and no question is open. */
  readonly silenceMs: number;
  /** Silence of one open tool call, its sub-agent included. Long: a build may print nothing for an hour. */
  readonly toolMs: number;
  /** An open question; after that it counts as declined and the turn continues. */
  readonly questionMs: number;
  /** From an interrupt until the program confirms that it stopped; after that it is killed. */
  readonly interruptMs: number;
  /** A question to the program that asks no model: models, context usage. */
  readonly queryMs: number;
  /** Compacting a session: a model reads all of it. */
  readonly compactMs: number;
  /** Ending a session or a program in order; then it is killed. */
  readonly closeMs: number;
}

export const defaultTurnLimits: TurnLimits = {
  openMs: 2 * 60_000,
  silenceMs: 5 * 60_000,
  toolMs: 2 * 3_600_000,
  questionMs: 24 * 3_600_000,
  interruptMs: 10_000,
  queryMs: 30_000,
  compactMs: 10 * 60_000,
  closeMs: 10_000,
};
