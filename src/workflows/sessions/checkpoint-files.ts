// `checkpoints/` in a session folder: the state after a node, as JSON for people and scripts. The newest few are kept. A
// run is resumed from its journal; nothing is read back from here.

import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic-file.ts";
import { safeJson } from "../../lib/safe-json.ts";
import type { StepResult } from "../graph/model/step-result.ts";

export type Checkpoint = Pick<StepResult<Record<string, unknown>>, "nodeId" | "key" | "visit" | "state"> & {
  readonly at: number;
};

const maxFiles = 10;
const maxBytes = 32 * 1024 * 1024;
const pattern = /^node-(\d+)\.json$/;

/** Throws the system's error when it can't. */
export function writeCheckpoint(folder: string, { nodeId, key, visit, state, at }: Checkpoint): void {
  const numbers = checkpointNumbers(folder);
  const number = (numbers.at(-1) ?? 0) + 1;
  const text = safeJson({ node: nodeId, key, visit, at: new Date(at).toISOString(), state }, 2);
  writeFileAtomically(fileOf(folder, number), `${text}\n`);
  removeOld(folder, [...numbers, number]);
}

function removeOld(folder: string, numbers: readonly number[]): void {
  let bytes = 0;
  for (const [age, number] of numbers.toReversed().entries()) {
    const file = fileOf(folder, number);
    bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (age > 0 && (age >= maxFiles || bytes > maxBytes)) rmSync(file, { force: true });
  }
}

function checkpointNumbers(folder: string): readonly number[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const number = pattern.exec(name)?.[1];
      return number === undefined ? [] : [Number(number)];
    })
    .toSorted((a, b) => a - b);
}

function fileOf(folder: string, number: number): string {
  return join(folder, `node-${String(number).padStart(3, "0")}.json`);
}
