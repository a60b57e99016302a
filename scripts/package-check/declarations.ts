// The declarations of the tarball, compiled by the compilers and with the settings that its users have. Nothing is
// skipped, and there are no types of Node or Bun: the declarations must not need them.

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "../run-command.ts";
import { environment, projectRoot, type Packed } from "./packed.ts";
import { compilers } from "./tools.ts";

// Each setting meets each compiler; a fault that needs two of them together is not looked for.
const settings = [
  { module: "nodenext", moduleResolution: "nodenext", exactOptionalPropertyTypes: false },
  { module: "preserve", moduleResolution: "bundler", exactOptionalPropertyTypes: true },
] as const;

export async function checkDeclarations({ consumer }: Packed): Promise<string> {
  cpSync(join(projectRoot, "scripts/package-consumer/compile.ts"), join(consumer, "compile.ts"));
  await Promise.all(
    compilers.map(async ({ name, command }, index) => {
      for (const each of settings) {
        const config = join(consumer, `tsconfig.${index}.json`);
        writeFileSync(config, configText(each));
        try {
          await mustRun([...command, "-p", config], { cwd: consumer, env: environment });
        } catch (cause) {
          const text = Object.entries(each).map(([key, value]) => `${key} ${value}`);
          throw new Error(`The declarations do not compile with ${name} (${text.join(", ")}).`, { cause });
        }
      }
    }),
  );
  return `compile with ${compilers.map(({ name }) => name).join(" and ")}, with and without exactOptionalPropertyTypes`;
}

function configText(options: object): string {
  return JSON.stringify({
    compilerOptions: {
      ...options,
      target: "ES2022",
      lib: ["ES2023", "DOM"],
      types: [],
      skipLibCheck: false,
      strict: true,
      noEmit: true,
    },
    files: ["compile.ts"],
  });
}
