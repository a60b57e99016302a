// Our own calls of git: read the repository, add objects and private refs, and nothing else. The repository belongs to
// a stranger as far as we know, so its hooks, its fsmonitor and its filters never run, and no shell is involved.

import { spawn } from "node:child_process";
import { AtomicError } from "../../lib/errors.ts";
import { findProgram } from "../../agents/process/find-program.ts";

export interface GitResult {
  readonly ok: boolean;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly input?: string | Buffer | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const safeConfig = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "core.pager=cat",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.allow=never",
].flatMap((setting) => ["-c", setting]);

const longestMs = 120_000;

const outsideOfWork = /not a git repository|must be run in a work tree/;

interface GitAtTop {
  readonly git: Git;
  readonly top: string;
}

export class Git {
  readonly #cwd: string;
  readonly #program: string;

  private constructor(cwd: string, program: string) {
    this.#cwd = cwd;
    this.#program = program;
  }

  /** For that folder, whether or not it is in a repository. Undefined when there is no git. */
  static in(cwd: string): Git | undefined {
    try {
      const options = { name: "git", searchPath: process.env["PATH"], cwd, install: "see git-scm.com" };
      return new Git(cwd, findProgram(options).path);
    } catch (thrown) {
      if (AtomicError.is(thrown, "AGENT_UNAVAILABLE")) return undefined;
      throw thrown;
    }
  }

  /** For the folder at the top of the repository. Undefined when the folder is in no work tree, or there is no git. */
  static async atTop(cwd: string): Promise<GitAtTop | { readonly problem: string } | undefined> {
    const git = Git.in(cwd);
    if (git === undefined) return undefined;
    const { ok, stdout, stderr } = await git.run(["rev-parse", "--show-toplevel"]);
    // Any other refusal means that there is a repository: somebody else's, or one with a broken configuration.
    if (!ok) return outsideOfWork.test(stderr) ? undefined : { problem: stderr };
    const top = stdout.toString("utf8").replace(/\n$/, "");
    return { git: new Git(top, git.#program), top };
  }

  /** Like `run`, with the filters that the repository configures switched off. For calls that look at file contents. */
  async runUnfiltered(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    // Asked each time: whoever works here may have configured one meanwhile.
    return this.run([...(await this.#switchFiltersOff()), ...args], options);
  }

  async #switchFiltersOff(): Promise<readonly string[]> {
    const { stdout } = await this.run(["config", "-z", "--name-only", "--get-regexp", "^filter\\."]);
    const names = new Set(
      zeroSplit(stdout)
        .map((line) => /^filter\.([\s\S]+)\.[a-z]+$/i.exec(line)?.[1])
        .filter((name) => name !== undefined),
    );
    return [...names].flatMap((name) =>
      ["clean=", "smudge=", "process=", "required=false"].flatMap((setting) => ["-c", `filter.${name}.${setting}`]),
    );
  }

  run(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    return new Promise((resolve) => {
      const child = spawn(this.#program, [...safeConfig, ...args], {
        cwd: this.#cwd,
        env: gitEnvironment(options.env),
        stdio: ["pipe", "pipe", "pipe"],
        timeout: longestMs,
      });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on("data", (data: Buffer) => out.push(data));
      child.stderr.on("data", (data: Buffer) => err.push(data));
      child.stdin.on("error", () => undefined);
      child.on("error", (error) => resolve({ ok: false, stdout: Buffer.alloc(0), stderr: error.message }));
      child.on("close", (code) =>
        resolve({ ok: code === 0, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString("utf8").trim() }),
      );
      child.stdin.end(options.input ?? "");
    });
  }
}

/** Variables that would point git at another repository or another program are left out. */
function gitEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env: Record<string, string> = { GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  for (const name of ["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "USERPROFILE", "SYSTEMROOT"]) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...extra };
}

/** Names of a `-z` list. */
function zeroSplit(output: Buffer): string[] {
  return output
    .toString("utf8")
    .split("\0")
    .filter((name) => name !== "");
}
