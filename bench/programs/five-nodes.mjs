// The same with the engine as the package ships it.

import * as engine from "../.build/package/dist/graph.js";
import { compileFiveNodes } from "./compile-five-nodes.mjs";

compileFiveNodes(engine);
