// How long the guard waits for what. Nothing in a turn waits without one of these.

export interface TurnLimits {
  /** Silence of the agent while no tool call and no question is open. */
  readonly silenceMs: number;
  /** Silence of one open tool call, its sub-agent included. Long: a build may print nothing for an hour. */
  readonly toolMs: number;
  /** An open question; then it counts as declined and the turn goes on. */
  readonly questionMs: number;
  /** From an interrupt to the program's word that it stopped; then it is ended. */
  readonly interruptMs: number;
  /** Ending a session or a program in order; then it is killed. */
  readonly closeMs: number;
}

export const defaultTurnLimits: TurnLimits = {
  silenceMs: 5 * 60_000,
  toolMs: 2 * 3_600_000,
  questionMs: 24 * 3_600_000,
  interruptMs: 10_000,
  closeMs: 10_000,
};
