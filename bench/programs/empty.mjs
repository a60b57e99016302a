// Loads the bench's own helper without using it: the rest of the other program's time is the cost of the engine.

export { compileFiveNodes } from "./compile-five-nodes.mjs";
