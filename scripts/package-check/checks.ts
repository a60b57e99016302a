// The checks of the package, in order: cheap ones first. The first that fails ends them.

import { checkBundles } from "./bundles.ts";
import { checkContents } from "./contents.ts";
import { checkDeclarations } from "./declarations.ts";
import { checkImports } from "./imports.ts";
import { packAndInstall, type Packed } from "./packed.ts";
import { checkPrograms, makePrograms } from "./program.ts";
import { checkSamples } from "./samples.ts";
import { checkSmallInstall } from "./small-install.ts";

type Programs = Readonly<Record<string, string>>;

const checks: Readonly<Record<string, (packed: Packed, programs: () => Promise<Programs>) => Promise<string>>> = {
  contents: checkContents,
  imports: checkImports,
  bundles: checkBundles,
  "small install": checkSmallInstall,
  declarations: checkDeclarations,
  program: async (packed, programs) => checkPrograms(packed, await programs()),
  samples: async (packed, programs) => checkSamples(packed, await programs()),
};

export const checkNames: readonly string[] = Object.keys(checks);

export interface CheckOptions {
  readonly temp: string;
  /** The copy of the project to pack; below `temp`. */
  readonly stage: string;
  readonly only: readonly string[];
  readonly report: (text: string) => void;
}

export async function runChecks({ temp, stage, only, report }: CheckOptions): Promise<void> {
  let started = performance.now();
  const done = (name: string, text: string): void => {
    report(`${name} (${((performance.now() - started) / 1000).toFixed(1)} s): ${text}`);
    started = performance.now();
  };
  const packed = await packAndInstall(temp, stage);
  done("pack and install", "without install scripts");
  let programs: Promise<Programs> | undefined;
  for (const name of only) done(name, (await checks[name]?.(packed, () => (programs ??= makePrograms(packed)))) ?? "");
}
