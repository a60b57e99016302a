// Compiles the declarations of the tarball with the compilers and settings that its users have, without skipLibCheck
// and without the types of Node or Bun: the declarations must not need them.

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "../run-command.ts";
import { environment, projectRoot, type Packed } from "./packed.ts";
import { compilers } from "./tools.ts";

// Every setting is tried with every compiler, but not every combination of settings.
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
