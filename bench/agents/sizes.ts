// How large the turns are that the agent benches run.

export const sizes = ["answer", "burst", "task", "flood"] as const;
/** One sentence; a piece of work with tools, all text of a step at once; the same at a model's pace; a flood of text. */
export type Size = (typeof sizes)[number];

export const toolsPerTask = 10;
export const deltaCount = 10_000;
/** Faster than models write, and still one piece after the other. */
export const pieceDelayMs = 2;
