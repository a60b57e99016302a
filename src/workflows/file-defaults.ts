// What the library brings where there are files: `compile({ checkpointing: true })` writes below `checkpointDir`, or
// research/checkpoints, taskLoopNode reads and writes its list, and the engine follows asynchronous calls to the step
// that they come from. Imported for its effect by the public entries for Bun, Node and Deno; the entry for browsers and
// edge runtimes leaves it out. Everything is loaded on first use: most programs that import the engine never need the
// stores, and node:async_hooks alone is a sixth of the import on Bun.

import { provideTaskFiles } from "../nodes/task-loop.ts";
import { setDefaultRuntime } from "./graph/model/default-runtime.ts";
import { provideAsyncContext } from "./graph/run/load-runs.ts";
import type { StepScope } from "./graph/run/step-scope.ts";

provideAsyncContext(async () => {
  const { AsyncLocalStorage } = await import("node:async_hooks");
  return () => new AsyncLocalStorage<StepScope>();
});

setDefaultRuntime({
  checkpoints: async (dir) => {
    const { ResearchDirSaver } = await import("../journal/files/research-dir-saver.ts");
    return new ResearchDirSaver(dir === undefined ? {} : { dir });
  },
});

provideTaskFiles(() => import("../nodes/work-tasks.ts"));
