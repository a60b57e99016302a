// `atomic/workflows`: all that the author of a workflow needs. Everything of the engine is here too.

export * from "./graph.ts";
