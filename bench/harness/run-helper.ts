// For a subject that needs a second, fresh process: starts a helper subject of the same bench in the same folder, with
// this process's own (built) environment, and gives its figures.

import { spawnSync } from "node:child_process";
import type { Figures, MeasureContext } from "./bench.ts";

export function runHelper(helper: string, { scale, folder }: MeasureContext): Figures {
  const [, entry = "", file = ""] = process.argv;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, entry, file, helper, scale, folder],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`The helper "${helper}" ended with ${status}:\n${stdout}${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Figures;
}
