// Gives `compile({ checkpointing: true })` a place to write when a graph is run on its own: files below
// `checkpointDir`, or research/checkpoints. Imported for its effect by the public entries. The store itself is loaded
// when it is first used: most programs that import the engine never do.

import { setDefaultRuntime } from "./graph/default-runtime.ts";

setDefaultRuntime({
  checkpoints: async (dir) => {
    const { ResearchDirSaver } = await import("../journal/files/research-dir-saver.ts");
    return new ResearchDirSaver(dir === undefined ? {} : { dir });
  },
});
