// The environment of one run of the ralph matrix: a home, a git repository, a script, and the processes of the command
// line. Also what is compared at the end: the bytes of the folder, what was kept, and the record.

import { deepStrictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { StoredEvent } from "../../../src/journal/port.ts";
import { AtomicError } from "../../../src/lib/errors.ts";
import { SessionStore } from "../../../src/workflows/sessions/session-store.ts";
import type { Kill } from "../../durability/matrix/killing-store.ts";
import type { Scenario } from "./scenarios.ts";

const path = "/usr/local/bin:/usr/bin:/bin";

export interface ProcessEnd {
  /** Null when it was killed. */
  readonly exitCode: number | null;
  readonly writes: number;
  readonly stderr: string;
}

export interface LandedCommit {
  readonly task: string;
  /** A line of `git diff-tree` for each file: modes, objects, name. */
  readonly changes: readonly string[];
}

export interface StartedProcess {
  readonly ended: Promise<ProcessEnd>;
  kill(): void;
}

export class RalphMatrixPlace {
  readonly root = mkdtempSync(join(tmpdir(), "atomic-ralph-matrix-"));
  readonly project = join(this.root, "project");
  readonly store = new SessionStore({ dir: join(this.root, "home/.atomic/workflows/sessions") });
  readonly #program: readonly string[];
  readonly #scenario: Scenario;
  #started = 0;

  constructor(scenario: Scenario, program: readonly string[]) {
    this.#scenario = scenario;
    this.#program = program;
    for (const folder of [this.project, join(this.root, "home")]) mkdirSync(folder);
    this.#write("script.json", JSON.stringify({ version: 1, turns: scenario.turns }));
    this.#git("init", "--quiet");
    for (const [name, text] of Object.entries({ ".gitignore": "ignored\n", ...scenario.files }))
      this.#write(`project/${name}`, text);
    this.#git("add", ".");
    this.#git("commit", "--quiet", "-m", "Start");
    for (const [name, text] of Object.entries(scenario.dirty ?? {})) this.#write(`project/${name}`, text);
  }

  #write(name: string, text: string): void {
    const file = join(this.root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  #environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      PATH: path,
      HOME: join(this.root, "home"),
      TMPDIR: this.root,
      LANG: "C.UTF-8",
      GIT_CONFIG_NOSYSTEM: "1",
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
      ...more,
    };
  }

  #git(...args: readonly string[]): string {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    const done = Bun.spawnSync(["git", ...author, ...args], { cwd: this.project, env: this.#environment() });
    if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr.toString()}`);
    return done.stdout.toString();
  }

  start(words: readonly string[], kill: Kill | undefined): StartedProcess {
    // Two may run at the same time.
    const writesFile = join(this.root, `writes-${++this.#started}`);
    const child = Bun.spawn([...this.#program, ...words], {
      cwd: this.project,
      env: this.#environment({ MATRIX_WRITES: writesFile, ...(kill && { MATRIX_KILL: JSON.stringify(kill) }) }),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    const ended = (async (): Promise<ProcessEnd> => {
      const [stderr] = await Promise.all([child.stderr.text(), child.exited]);
      const writes = existsSync(writesFile) ? Number(readFileSync(writesFile, "utf8")) : 0;
      return { exitCode: child.signalCode === "SIGKILL" ? null : child.exitCode, writes, stderr };
    })();
    return { ended, kill: () => child.kill("SIGKILL") };
  }

  run(words: readonly string[], kill?: Kill): Promise<ProcessEnd> {
    return this.start(words, kill).ended;
  }

  get words(): readonly string[] {
    return [...this.#scenario.words, "-a", "scripted", "--script", join(this.root, "script.json")];
  }

  /** The id of the only run there is; undefined if there is none yet. */
  get runId(): string | undefined {
    const ids = this.store.localRuns();
    deepStrictEqual(ids.length > 1, false, `${ids.length} runs where there should be one`);
    return ids[0];
  }

  async events(): Promise<StoredEvent[]> {
    const id = this.runId;
    return id === undefined ? [] : this.eventsOf(id);
  }

  async eventsOf(id: string): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    if (!existsSync(this.store.folder(id).journal)) return events;
    try {
      for await (const event of this.store.read(id)) events.push(event);
    } catch (error) {
      // Killed while it made the journal: there is a file, and no run in it.
      if (!AtomicError.is(error, "RUN_NOT_FOUND")) throw error;
    }
    return events;
  }

  /** The steps whose turns were begun, in order. */
  effects(): readonly string[] {
    const file = join(this.root, "effects.txt");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  }

  /** The bytes of every file in the project, and what that run keeps in the repository. */
  tree(run = this.runId ?? "no run"): Readonly<Record<string, string>> {
    const files: Record<string, string> = {};
    const walk = (folder: string): void => {
      for (const name of readdirSync(join(this.project, folder))) {
        if (name === ".git") continue;
        const file = join(folder, name);
        if (lstatSync(join(this.project, file)).isDirectory()) walk(file);
        else files[file] = hash(readFileSync(join(this.project, file)));
      }
    };
    walk("");
    const refs = this.#git("for-each-ref", "--format=%(refname)").trim().split("\n");
    for (const ref of refs) {
      // What a task's own commits hold depends on what had landed before.
      if (/\/run\/[^/]+\/(?:task|merge)\//.test(ref)) continue;
      const name = ref.replace(run, "RUN");
      if (name === ref && ref.startsWith("refs/atomic/")) continue;
      files[name] = this.#git("rev-parse", `${ref}^{tree}`).trim();
    }
    files["git status"] = this.#git("status", "--porcelain");
    return files;
  }

  /** Each commit that landed in the run's head, with its task and what it changed. */
  landed(): readonly LandedCommit[] {
    const [base, head] = ["base", "head"].map((name) => `refs/atomic/run/${this.runId ?? "no run"}/${name}`);
    if (this.#git("for-each-ref", "--format=%(refname)", head ?? "") === "") return [];
    const format = "--format=%H %(trailers:key=Atomic-Task,valueonly,separator=%x2C)";
    const commits = lines(this.#git("log", format, `${base}..${head}`));
    return commits.map((line) => {
      const [commit = "", task = ""] = line.split(/ (.*)/s);
      return { task, changes: lines(this.#git("diff-tree", "-r", "--no-commit-id", commit)) };
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
