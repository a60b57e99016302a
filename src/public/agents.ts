// `atomic/agents`: the agent port and its backends.

export {};
