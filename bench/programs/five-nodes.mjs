// The same with the engine as the package ships it to Bun and Node.

import * as engine from "../.build/package/dist/graph-with-files.js";
import { compileFiveNodes } from "./compile-five-nodes.mjs";

compileFiveNodes(engine);
