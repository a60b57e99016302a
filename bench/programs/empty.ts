// Loads the bench's own helper and uses nothing of it: what is left of the other program's time is the engine's.

import "./compile-five-nodes.mjs";
