// Where the real programs and their SDKs are: installed once, for the tests and for the benches (npm run test:agents).

import { join } from "node:path";

export const packages = join(import.meta.dirname, "../../tests/agents/node_modules");
