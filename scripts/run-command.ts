// Starting programs from scripts: output is collected, and a failure carries it.

export interface CommandOptions {
  readonly cwd: string;
  /** The whole environment of the program; default: this process's own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The program is killed after this time; default: never. */
  readonly timeoutMs?: number;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runCommand(command: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const child = Bun.spawn([...command], {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: "SIGKILL" }),
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

/** The program's standard output; throws with everything it printed when it fails. */
export async function mustRun(command: readonly string[], options: CommandOptions): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand(command, options);
  if (exitCode !== 0) throw new Error(`\`${command.join(" ")}\` ended with ${exitCode}:\n${stdout}${stderr}`);
  return stdout;
}
