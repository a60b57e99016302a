// What the library brings where there are files: `compile({ checkpointing: true })` writes below `checkpointDir`, or
// research/checkpoints, and taskLoopNode reads and writes its list. Imported for its effect by the public entries for
// Bun, Node and Deno; the entry for browsers and edge runtimes leaves it out. Both are loaded when they are first used:
// most programs that import the engine never do.

import { provideTaskFiles } from "../nodes/task-loop.ts";
import { setDefaultRuntime } from "./graph/model/default-runtime.ts";

setDefaultRuntime({
  checkpoints: async (dir) => {
    const { ResearchDirSaver } = await import("../journal/files/research-dir-saver.ts");
    return new ResearchDirSaver(dir === undefined ? {} : { dir });
  },
});

provideTaskFiles(() => import("../nodes/work-tasks.ts"));
