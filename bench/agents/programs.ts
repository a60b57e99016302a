// Where the real programs and their SDKs are: installed once, for the tests and for the benches (npm run test:agents).

import { join } from "node:path";

export const packages = join(import.meta.dirname, "../../tests/agents/node_modules");

/** Claude Code runs tools as root only where it is told that it is contained. */
export const asRoot: Readonly<Record<string, string>> = process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {};
