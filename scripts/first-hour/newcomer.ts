// A user with an empty home and an empty folder, who types commands. They get nothing of this checkout and nothing of
// the caller's environment: PATH has the system's programs, Node, and what they installed.

import { copyFileSync, chmodSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { mustRun } from "../run-command.ts";

export interface Typed {
  readonly exitCode: number;
  /** Standard output and standard error, separately. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface Newcomer {
  /** Whether they have the tarball or the single file, for messages. */
  readonly has: string;
  readonly project: string;
  /** Types a command and waits for its end. */
  type(...words: readonly string[]): Promise<Typed>;
  /** Types a command, and presses Ctrl+C when `isTime` returns true. */
  typeAndInterrupt(words: readonly string[], isTime: () => boolean): Promise<Typed>;
}

export interface NewcomerOptions {
  readonly folder: string;
  readonly tarball?: string;
  readonly singleFile?: string;
}

/** The timeout of one command. The first start of a program on a busy machine takes a while. */
const patienceMs = 120_000;

export async function createNewcomer({ folder, tarball, singleFile }: NewcomerOptions): Promise<Newcomer> {
  const [home, project, prefix] = [join(folder, "home"), join(folder, "project"), join(folder, "prefix")];
  const bin = join(prefix, "bin");
  for (const each of [home, project, bin]) mkdirSync(each, { recursive: true });
  const node = dirname(realpathSync(Bun.which("node") ?? "/usr/bin/node"));
  const env = {
    PATH: [bin, node, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: home,
    TMPDIR: folder,
    TERM: "dumb",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Newcomer",
    GIT_AUTHOR_EMAIL: "newcomer@localhost",
    GIT_COMMITTER_NAME: "Newcomer",
    GIT_COMMITTER_EMAIL: "newcomer@localhost",
  };

  if (tarball !== undefined) {
    // The registry and its credentials are the machine's own; nothing else of npm's configuration is used.
    const npm = { ...process.env, npm_config_prefix: prefix };
    await mustRun(["npm", "install", "--global", "--prefer-offline", "--no-audit", "--no-fund", tarball], {
      cwd: project,
      env: npm,
    });
  }
  if (singleFile !== undefined) {
    copyFileSync(singleFile, join(bin, "atomic"));
    chmodSync(join(bin, "atomic"), 0o755);
  }
  await mustRun(["git", "init", "--quiet"], { cwd: project, env });
  await mustRun(["git", "commit", "--quiet", "--allow-empty", "-m", "Start"], { cwd: project, env });

  async function run(words: readonly string[], isTime?: () => boolean): Promise<Typed> {
    const child = Bun.spawn([...words], { cwd: project, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const patience = setTimeout(() => child.kill("SIGKILL"), patienceMs);
    const watch =
      isTime &&
      setInterval(() => {
        if (!isTime()) return;
        clearInterval(watch);
        child.kill("SIGINT");
      }, 20);
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    clearTimeout(patience);
    clearInterval(watch);
    return { exitCode, stdout, stderr };
  }

  return {
    has: tarball === undefined ? "the single file" : "the tarball",
    project,
    type: (...words) => run(words),
    typeAndInterrupt: (words, isTime) => run(words, isTime),
  };
}
