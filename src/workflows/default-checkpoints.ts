// Gives `compile({ checkpointing: true })` a place to write when a graph is run on its own: files below
// `checkpointDir`, or research/checkpoints. Imported for its effect by the public entries.

import { ResearchDirSaver } from "../journal/files/research-dir-saver.ts";
import { setDefaultRuntime } from "./graph/default-runtime.ts";

setDefaultRuntime({ checkpoints: (dir) => new ResearchDirSaver(dir === undefined ? {} : { dir }) });
