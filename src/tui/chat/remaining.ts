// The style of a text that takes what is left of its row, however long it is: what is to the right of it does not move.

export const remaining = { flexGrow: 1, flexShrink: 1, flexBasis: 0, minWidth: 0, height: 1 } as const;
