// `atomic/workflows/graph` on Bun, Node and Deno: the engine, and what it does with files and agents.

import "../workflows/agent-defaults.ts";
import "../workflows/file-defaults.ts";

export * from "./graph.ts";
