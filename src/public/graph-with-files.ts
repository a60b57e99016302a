// `atomic/workflows/graph` on Bun, Node and Deno: the engine, and what it does with files.

import "../workflows/file-defaults.ts";

export * from "./graph.ts";
