// Does nothing: what starting the runtime costs.

export const nothing = undefined;
