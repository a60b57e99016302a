// The checks of the package, in order: cheap ones first, as many at once as there are cores. After one that fails no
// other begins.

import { availableParallelism } from "node:os";
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
  const reporter = (name: string): ((text: string) => void) => {
    const started = performance.now();
    return (text) => report(`${name} (${((performance.now() - started) / 1000).toFixed(1)} s): ${text}`);
  };
  const packing = reporter("pack and install");
  const packed = await packAndInstall(temp, stage);
  packing("without install scripts");

  let programs: Promise<Programs> | undefined;
  const waiting = [...only];
  const runWaiting = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const done = reporter(name);
      try {
        done((await checks[name]?.(packed, () => (programs ??= makePrograms(packed)))) ?? "");
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  // Those that run are waited for: their folders are removed after them.
  const ends = await Promise.allSettled(Array.from({ length: availableParallelism() }, runWaiting));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
