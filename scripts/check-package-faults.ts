// `npm run check:faults`: puts one fault at a time into a copy of the project, and runs the check of the package that
// must notice it. Fails when a fault is not noticed, or noticed for another reason. Takes minutes, so it is not part of
// `verify`. `--only TEXT` tries the faults whose name contains the text.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChecks } from "./package-check/checks.ts";
import { faults, type Fault } from "./package-check/faults.ts";
import { stageProject } from "./package-check/packed.ts";
import { installTools } from "./package-check/tools.ts";
import { scriptOptions } from "./script-options.ts";

const values = scriptOptions(import.meta.path, { only: { type: "string", default: "" } });
await installTools();
let missed = 0;
for (const fault of faults.filter(({ name }) => name.includes(values.only))) {
  const problem = await problemOf(fault);
  if (problem === undefined) {
    console.log(`noticed      ${fault.name} (${fault.check})`);
  } else {
    missed++;
    console.error(`not noticed  ${fault.name} (${fault.check}): ${problem}`);
  }
}
process.exit(missed === 0 ? 0 : 1);

async function problemOf({ file, from, to, check, says }: Fault): Promise<string | undefined> {
  const temp = mkdtempSync(join(tmpdir(), "atomic-fault-"));
  try {
    const stage = join(temp, "stage");
    mkdirSync(stage);
    stageProject(stage);
    const text = readFileSync(join(stage, file), "utf8");
    if (!text.includes(from)) return `${file} does not hold ${JSON.stringify(from)}. Bring the fault up to date.`;
    writeFileSync(join(stage, file), text.replaceAll(from, to));
    await runChecks({ temp, stage, only: [check], report: () => undefined });
    return "the check passed";
  } catch (error) {
    const said = allOf(error);
    return says.test(said) ? undefined : `the check failed, but said:\n${said}`;
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

/** The message of an error and of what caused it. */
function allOf(error: unknown): string {
  return error instanceof Error
    ? `${error.message}\n${error.cause === undefined ? "" : allOf(error.cause)}`
    : String(error);
}
