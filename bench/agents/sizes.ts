// How large the turns are that the agent benches run.

export const sizes = ["answer", "task", "flood"] as const;
/** One sentence; a piece of work with tools; a flood of text. */
export type Size = (typeof sizes)[number];

export const toolsPerTask = 10;
export const deltaCount = 10_000;
