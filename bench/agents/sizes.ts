// The sizes of turns in the agent benches.

/**
 * In the order they are run: after the work with tools, most of the code is compiled when the short answers are run.
 */
export const sizes = ["burst", "task", "answer", "flood"] as const;
/**
 * A piece of work with tools, all text of a step at once; the same at a model's pace; one sentence; a flood of text.
 */
export type Size = (typeof sizes)[number];

export const toolsPerTask = 10;
export const deltaCount = 10_000;
/** Faster than models write, and still one piece after the other. */
export const pieceDelayMs = 2;
