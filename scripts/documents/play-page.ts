// Follows a page step by step, as a reader with an empty folder would: saves files as shown, runs commands as shown,
// and compares the output of each with what the page shows. The reader has a separate home and environment.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCommand } from "../run-command.ts";
import { testEnvironment } from "../test-environment.ts";
import { type Block, readBlocks, readCommands } from "./blocks.ts";
import { gap, isSameOutput } from "./same-output.ts";

const maxCommandMs = 120_000;

export interface Reader {
  /** The folder that commands are typed in. */
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Saves a file below the project. */
  save(path: string, text: string): void;
  /** Runs a line in a shell; returns the output of both streams, in order. */
  type(line: string): Promise<{ readonly printed: readonly string[]; readonly exitCode: number }>;
  [Symbol.dispose](): void;
}

/** `program`: the reader's `atomic`. Besides it, the reader has Node and the programs of the system. */
export function createReader(program: string): Reader {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-page-")));
  const project = join(root, "project");
  for (const folder of ["home", "tmp", "bin", "project"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "bin", "atomic"), `#!/bin/sh\nexec "${program}" "$@"\n`, { mode: 0o755 });
  const node = Bun.which("node");
  if (node !== null) symlinkSync(node, join(root, "bin", "node"));
  const { NO_COLOR: _, FORCE_COLOR: __, ...plain } = testEnvironment(root, process.env);
  const env = { ...plain, PATH: [join(root, "bin"), "/usr/bin", "/bin"].join(":") };
  let lastExitCode = 0;
  return {
    project,
    home: join(root, "home"),
    env,
    save(file, text) {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      writeFileSync(join(project, file), text);
    },
    async type(line) {
      // `echo $?` shows the exit code of the line before.
      const shell = ["sh", "-c", `exec 2>&1\n(exit ${lastExitCode})\n${line}`];
      const { stdout, exitCode } = await runCommand(shell, { cwd: project, env, timeoutMs: maxCommandMs });
      lastExitCode = exitCode;
      const text = stdout.replaceAll(join(root, "home"), "~").replaceAll(root, "~").replace(/\n$/, "");
      return { printed: text === "" ? [] : text.split("\n"), exitCode };
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

export interface PlayedPage {
  readonly commands: number;
  /** The differences between the page and the output, each with its line. */
  readonly faults: readonly string[];
  /** The page with the real output. */
  readonly corrected: string;
}

export async function playPage(page: string, reader: Reader): Promise<PlayedPage> {
  const faults: string[] = [];
  const corrections: { readonly block: Block; readonly text: string }[] = [];
  let commands = 0;
  for (const block of readBlocks(page)) {
    for (const command of block.before) await reader.type(command);
    if (block.file !== undefined) reader.save(block.file, block.text);
    if (block.language !== "console") continue;
    const lines: string[] = [];
    const all = readCommands(block.text);
    for (const [i, { line, shown }] of all.entries()) {
      const { printed, exitCode } = await reader.type(line);
      commands++;
      // A block that is only a gap gets the whole output.
      const isSame = isSameOutput(shown, printed) && (shown.length === 0 || shown.some((each) => each !== gap));
      if (!isSame) faults.push([`line ${block.line}: $ ${line}`, "prints:", ...printed].join("\n"));
      const isExpectedToFail = all[i + 1]?.line === "echo $?";
      if ((exitCode !== 0) !== isExpectedToFail)
        faults.push(
          [`line ${block.line}: $ ${line}`, `ends with exit code ${exitCode}, and prints:`, ...printed].join("\n"),
        );
      lines.push(`$ ${line}`, ...(isSame ? shown : printed));
    }
    corrections.push({ block, text: `${lines.join("\n")}\n` });
  }
  const corrected = corrections.reduceRight(
    (text, { block, text: now }) => text.slice(0, block.start) + now + text.slice(block.end),
    page,
  );
  return { commands, faults, corrected };
}
