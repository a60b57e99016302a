// Workflow files that load code in ways that no import statement shows. The question about trust names each way; with
// consent they work, so each of them is a real one.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const canary = join(world.root, "canary");
const loaded = world.write(
  "elsewhere/loaded.cjs",
  `require("node:fs").writeFileSync(${JSON.stringify(canary)}, "");\n`,
);
const path = JSON.stringify(loaded);
const touch = JSON.stringify(`process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(canary)}, "")`);

const ways: Readonly<Record<string, readonly [code: string, named: string]>> = {
  "a member of import.meta": [`(import.meta as any)["re" + "quire"](${path});`, "import.meta"],
  "import.meta under another name": [`const meta: any = import.meta; meta.require(${path});`, "import.meta"],
  "Bun.$": [`await Bun.$\`touch ${canary}\`;`, "Bun.$"],
  "Bun.spawnSync": [`Bun.spawnSync(["touch", ${JSON.stringify(canary)}]);`, "Bun.spawnSync"],
  "Bun under another name": [`const b = Bun; b.spawnSync(["touch", ${JSON.stringify(canary)}]);`, "Bun"],
  "Bun of the global object": [`await globalThis.Bun.$\`touch ${canary}\`;`, "Bun.$"],
  "an optional member of Bun": [`const run = "spawnSync"; Bun?.[run](["touch", ${JSON.stringify(canary)}]);`, "Bun"],
  "process.getBuiltinModule": [
    `process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(canary)}, "");`,
    "getBuiltinModule",
  ],
  "a member of process": [
    `(process as any)["getBuiltin" + "Module"]("node:fs").writeFileSync(${JSON.stringify(canary)}, "");`,
    "process",
  ],
  "a computed import": [`await import(String(${path}));`, "import()"],
  createRequire: [
    `const { createRequire } = await import("node:module"); createRequire(import.meta.url)(${path});`,
    "createRequire()",
  ],
  eval: [`(0, eval)(${touch});`, "eval()"],
  "a member of the global object": [`(globalThis as any)["ev" + "al"](${touch});`, "globalThis"],
  Function: [`new Function(${touch})();`, "Function()"],
  "the constructor of a function": [`(() => {}).constructor(${touch})();`, "the constructor of a value"],
};

describe("trust names", () => {
  for (const [what, [code, named]] of Object.entries(ways)) {
    test(what, async () => {
      rmSync(canary, { force: true });
      const source = `${code}\nexport const name = "hidden";\nexport const description = "x";\nexport default () => null;\n`;
      world.write("project/.atomic/workflows/hidden.ts", source);

      const asked = await world.run(["trust", "--json"]);
      const { questions } = JSON.parse(asked.stdout) as { questions: { name: string; computed: string[] }[] };
      const { computed = [] } = questions.find(({ name }) => name === "workflow hidden") ?? {};
      expect(computed).toContain(`.atomic/workflows/hidden.ts:1: ${named}`);
      expect((await world.run(["trust"])).stdout).toContain(`It may load code that only shows when it runs`);
      expect(existsSync(canary)).toBe(false);

      await world.run(["workflows", "validate", "hidden", "--trust"]);
      expect(existsSync(canary)).toBe(true);
    });
  }
});
