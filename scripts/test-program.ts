// Which program tests start, as the variables that tell them: the one that ATOMIC_TEST_PROGRAM names; else the single
// file, which is built unless ATOMIC_TEST_SINGLE_FILE names one (docs/decisions/096-tests-start-the-single-file.md).

import { join } from "node:path";
import { buildSingleFile } from "./build-single-file.ts";

export interface TestProgramVariables {
  readonly ATOMIC_TEST_PROGRAM: string;
  /** Absent when the program is another one. */
  readonly ATOMIC_TEST_SINGLE_FILE?: string;
}

/** Builds below the folder. */
export async function testProgram(folder: string): Promise<TestProgramVariables> {
  const program = process.env["ATOMIC_TEST_PROGRAM"];
  if (program !== undefined) return { ATOMIC_TEST_PROGRAM: program };
  let single = process.env["ATOMIC_TEST_SINGLE_FILE"];
  if (single === undefined) {
    single = join(folder, "bin", "atomic");
    console.error("Building the program that tests start ...");
    await buildSingleFile({ outfile: single });
  }
  return { ATOMIC_TEST_PROGRAM: single, ATOMIC_TEST_SINGLE_FILE: single };
}
