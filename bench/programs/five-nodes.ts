// Imports the engine from its sources and compiles a graph of five nodes.

import * as engine from "../../src/public/graph-with-files.ts";
import { compileFiveNodes } from "./compile-five-nodes.mjs";

compileFiveNodes(engine);
