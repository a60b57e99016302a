// Our own calls of git: read the repository, add objects and private refs, and nothing else. The repository belongs to
// a stranger as far as we know: nothing that it configures runs (git-config.ts), it is really the repository of this
// folder (git-repository.ts), nothing is fetched, and no shell is involved.

import { spawn, type SpawnOptions } from "node:child_process";
import { delimiter, join } from "node:path";
import { afterExit } from "../../agents/process/after-exit.ts";
import { findProgram } from "../../agents/process/find-program.ts";
import { markName } from "../../agents/process/host-record.ts";
import type { ProcessRegistry } from "../../agents/process/process-registry.ts";
import { safeSearchPath } from "../../agents/process/search-path.ts";
import { systemCode } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import { configVariables, lastingObjects, overrulePrograms, passingObjects, withConfig } from "./git-config.ts";
import { checkRepository } from "./git-repository.ts";

export interface GitResult {
  readonly ok: boolean;
  /** Undefined when it could not be started or was ended by a signal. */
  readonly exitCode: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly input?: string | Buffer | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Longer than this it is ended, and has failed. */
  readonly limitMs?: number | undefined;
  /** For a call that writes for seconds: should this process be killed, git is ended with it. */
  readonly registry?: ProcessRegistry | undefined;
}

const maxRunMs = 120_000;
/** For what only reads a few small files: a pipe among them would keep git waiting forever. */
const maxLookMs = 30_000;

const look: GitOptions = { limitMs: maxLookMs };
const isBare = /cannot use bare repository/;
const outsideOfWork = /not a git repository|must be run in a work tree/;

export interface GitAtTop {
  readonly git: Git;
  readonly top: string;
  /** The repository's folder for this work tree. */
  readonly gitDir: string;
  /** The folder that all work trees of the repository share. */
  readonly commonDir: string;
}

export class Git {
  readonly #program: string;
  readonly #cwd: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(program: string, cwd: string, env: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#cwd = cwd;
    this.#env = env;
  }

  /** Whether there is a git to call at all. */
  static isInstalled(cwd: string): boolean {
    return findGit(cwd) !== undefined;
  }

  /** Makes the folder a separate repository, without hooks. */
  static async init(folder: string): Promise<GitResult> {
    const program = findGit(folder);
    if (program === undefined) return failed("git is not installed");
    return new Git(program, folder, configVariables(process.env, [])).run(["init", "--quiet", "--template="]);
  }

  /**
   * For the folder at the top of the repository. Undefined when the folder is in no work tree, or there is no git. What
   * the repository configures is looked at once: open it again for every piece of work.
   */
  static async atTop(cwd: string): Promise<GitAtTop | { readonly problem: string } | undefined> {
    const program = findGit(cwd);
    if (program === undefined) return undefined;
    const here = new Git(program, cwd, configVariables(process.env, []));
    const { ok, stdout, stderr } = await here.run(["rev-parse", "--show-toplevel"], look);
    if (isBare.test(stderr))
      return { problem: `${cwd} is a bare repository, which has no files: work in a clone of it` };
    // Any other refusal means that there is a repository: another user's, or one with a broken configuration.
    if (!ok) return outsideOfWork.test(stderr) ? undefined : { problem: `git rev-parse: ${stderr || "no answer"}` };
    const repository = await checkRepository(stdout.toString("utf8").replace(/\n$/, ""), cwd, async (gitDir) => {
      const read = await here.run(["config", "--file", join(gitDir, "config"), "-z", "--get", "core.worktree"], look);
      return read.ok ? read.stdout.toString("utf8").replace(/\0$/, "") : undefined;
    });
    if ("problem" in repository) return repository;
    const { top, gitDir, commonDir } = repository;
    const git = await here.#inRepository(top, gitDir);
    return "problem" in git ? git : { git, top, gitDir, commonDir };
  }

  /** The same repository, with the files of another folder. Comparing them needs a separate index. */
  withFilesIn(folder: string): Git {
    return new Git(this.#program, folder, { ...this.#env, GIT_WORK_TREE: folder });
  }

  /** The same repository; what its calls add outlasts a power cut, as the record does that names it. */
  withLastingObjects(): Git {
    return new Git(this.#program, this.#cwd, withConfig(this.#env, lastingObjects));
  }

  /**
   * The same repository; what its calls add goes into that folder, and does not outlast a power cut. Objects that went
   * into another folder before are still found.
   */
  withObjectsIn(folder: string, commonDir: string): Git {
    const { GIT_OBJECT_DIRECTORY: before } = this.#env;
    const found = [...(before === undefined ? [] : [before]), join(commonDir, "objects")];
    const place = {
      GIT_OBJECT_DIRECTORY: folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: found.map(quoted).join(delimiter),
    };
    return new Git(this.#program, this.#cwd, { ...withConfig(this.#env, passingObjects), ...place });
  }

  /** Both folders are named, so that no call looks for a repository again and finds another. */
  async #inRepository(top: string, gitDir: string): Promise<Git | { readonly problem: string }> {
    const place = { GIT_DIR: gitDir, GIT_WORK_TREE: top };
    const here = new Git(this.#program, top, configVariables(process.env, []));
    const listed = await here.run(["config", "--list", "--name-only", "-z"], { ...look, env: place });
    if (!listed.ok) return { problem: `git config: ${listed.stderr || "no answer"}` };
    const pairs = overrulePrograms(listed.stdout);
    if ("problem" in pairs) return pairs;
    return new Git(this.#program, top, { ...configVariables(process.env, pairs), ...place });
  }

  run(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    const record = options.registry?.register("git", { isLeader: false });
    const mark = record === undefined ? {} : { [markName]: record.mark };
    const env = { ...gitEnvironment(this.#cwd), ...this.#env, ...options.env, ...mark };
    return new Promise((resolve) => {
      const refuse = (error: Error): void => {
        record?.ended();
        resolve(failed(error.message));
      };
      const timeout = options.limitMs ?? maxRunMs;
      const child = start(this.#program, args, { cwd: this.#cwd, env, timeout });
      if (child instanceof Error) return refuse(child);
      if (child.pid !== undefined) record?.started(child.pid);
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on("data", (data: Buffer) => out.push(data));
      child.stderr.on("data", (data: Buffer) => err.push(data));
      child.stdin.on("error", () => undefined);
      child.on("error", refuse);
      afterExit(child, (code) => {
        record?.ended();
        resolve({
          ok: code === 0,
          exitCode: code ?? undefined,
          stdout: Buffer.concat(out),
          stderr: Buffer.concat(err).toString("utf8").trim(),
        });
      });
      child.stdin.end(options.input ?? "");
    });
  }
}

/** Otherwise a colon in a path would end it. */
function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}

function failed(stderr: string): GitResult {
  return { ok: false, exitCode: undefined, stdout: Buffer.alloc(0), stderr };
}

/** More names than fit into an environment are refused by the system, in Bun by throwing. */
function start(program: string, args: readonly string[], options: Pick<SpawnOptions, "cwd" | "env" | "timeout">) {
  try {
    return spawn(program, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
  } catch (thrown) {
    if (thrown instanceof Error && systemCode(thrown) !== undefined) return thrown;
    throw thrown;
  }
}

function findGit(cwd: string): string | undefined {
  try {
    return findProgram({ name: "git", searchPath: process.env["PATH"], cwd, install: "see git-scm.com" }).path;
  } catch (thrown) {
    if (AtomicError.is(thrown, "AGENT_UNAVAILABLE")) return undefined;
    throw thrown;
  }
}

/** Variables that would point git at another repository or another program are left out. */
function gitEnvironment(cwd: string): Record<string, string> {
  const env: Record<string, string> = {
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    // An object that is missing from a partial clone is not fetched. Older versions know only of protocols; naming them
    // here overrules what a repository says about each.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    LC_ALL: "C",
    PATH: safeSearchPath(process.env["PATH"], { cwd }).join(delimiter),
  };
  for (const name of passedOn) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

const passedOn = [
  "HOME",
  "XDG_CONFIG_HOME",
  "TMPDIR",
  "USERPROFILE",
  "SYSTEMROOT",
  "GIT_CEILING_DIRECTORIES",
  "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];
