// Checks that the program, in each form that a user can have, does what the clone does: the same commands in the same
// folders print the same bytes, and `init` writes types that an editor finds.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "../run-command.ts";
import { environment, projectRoot, type Packed } from "./packed.ts";
import { compilers } from "./tools.ts";
import { type Entry, writeTranscript } from "./transcript.ts";

/** The forms of the program that the check tries, by name. */
export async function makePrograms({ temp, stage, consumer }: Packed): Promise<Readonly<Record<string, string>>> {
  // The single file is alone in its folder, away from the checkout.
  const single = join(temp, "single/atomic");
  mkdirSync(join(temp, "single"));
  const build = [process.execPath, "--no-env-file", "scripts/build-program.ts", "--outfile", single];
  await mustRun(build, { cwd: stage, env: environment });
  return { "the tarball": join(consumer, "node_modules/.bin/atomic"), "the single file": single };
}

export async function checkPrograms(packed: Packed, programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(packed.temp, "place");
  const expected = await writeTranscript(join(projectRoot, "bin/atomic"), folder);
  for (const [form, program] of Object.entries(programs)) {
    compare(expected, await writeTranscript(program, folder), form);
    await checkEditorTypes(join(folder, "project"), form);
  }
  return `${expected.length} outputs of ${Object.keys(programs).join(" and of ")} are those of the clone`;
}

function compare(expected: readonly Entry[], actual: readonly Entry[], form: string): void {
  for (const [index, { title, text }] of expected.entries()) {
    const other = actual[index]?.text ?? "";
    if (other === text) continue;
    const [lines, otherLines] = [text.split("\n"), other.split("\n")];
    const at = lines.findIndex((line, number) => line !== otherLines[number]);
    throw new Error(
      `\`${title}\` of ${form} differs from the clone's in line ${at + 1}:\n` +
        `clone: ${lines[at] ?? "(no more lines)"}\nit:    ${otherLines[at] ?? "(no more lines)"}\n\nAll of it:\n${other}`,
    );
  }
}

/** An editor reports no error in the first workflow. */
async function checkEditorTypes(project: string, form: string): Promise<void> {
  for (const { name, command } of compilers) {
    try {
      await mustRun([...command, "--noEmit", "-p", join(project, ".atomic")], { cwd: project, env: environment });
    } catch (cause) {
      throw new Error(`${name} rejects the workflow that \`atomic init\` of ${form} wrote.`, { cause });
    }
  }
}
