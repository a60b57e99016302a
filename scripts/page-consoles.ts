// Updates what consoles and screens on the pages show. `npm run docs` corrects the pages: a command whose output is
// right, with `…` for what is left out, is not changed. `--check` reports differences instead, and checks the types of
// the workflows that a page builds. Arguments choose pages. Starts the program that tests start (test-program.ts).

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PlayedDocument, playedPages } from "./documents/pages.ts";
import { createReader, playPage, type Reader } from "./documents/play-page.ts";
import { withScreens } from "./documents/screens.ts";
import { mustRun } from "./run-command.ts";
import { testProgram } from "./test-program.ts";

const root = join(import.meta.dir, "..");
const isCheck = process.argv.includes("--check");
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));

const temp = mkdtempSync(join(tmpdir(), "atomic-pages-"));
try {
  const program = (await testProgram(temp)).ATOMIC_TEST_PROGRAM;
  for (const each of playedPages) if (chosen.length === 0 || chosen.includes(each.page)) await play(each, program);
} finally {
  rmSync(temp, { recursive: true, force: true });
}
if (!isCheck) {
  const screens = join(root, "docs/terminal-ui.md");
  writeFileSync(screens, withScreens(readFileSync(screens, "utf8")));
}

async function play({ page, prepare }: PlayedDocument, program: string): Promise<void> {
  const started = performance.now();
  const path = join(root, page);
  const text = readFileSync(path, "utf8");
  using reader = createReader(program);
  prepare?.(reader);
  const { corrected, faults, commands } = await playPage(text, reader);
  if (isCheck && faults.length > 0)
    throw new Error(`${page} does not show what the program prints. Run \`npm run docs\`.\n\n${faults.join("\n\n")}`);
  if (isCheck) await checkTypes(reader);
  else if (corrected !== text) writeFileSync(path, corrected);
  const what = isCheck ? "as shown" : `${faults.length} corrected`;
  console.log(`${page}: ${commands} commands, ${what} (${Math.round(performance.now() - started)} ms)`);
}

/** Checks the workflows in the reader's folder as an editor does in a project that has the types of the runtime. */
async function checkTypes({ project, env }: Reader): Promise<void> {
  if (!existsSync(join(project, ".atomic/tsconfig.json"))) return;
  const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "bun"];
  await mustRun([join(root, "node_modules/.bin/tsc"), "-p", ".atomic", ...types], { cwd: project, env });
}
