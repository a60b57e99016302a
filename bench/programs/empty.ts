// Loads the bench's own helper and uses nothing of it: what is left of the other program's time is the engine's.

export { compileFiveNodes } from "./compile-five-nodes.mjs";
