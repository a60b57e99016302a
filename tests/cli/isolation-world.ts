// A repository with something committed, changed, untracked and ignored, and ralph with scripted workers in it.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, type Ended, type Live } from "./cli-world.ts";

export interface PlannedTask {
  readonly id: string;
  readonly title?: string;
  readonly blockedBy?: readonly string[];
  readonly verify?: string;
}

export interface IsolationWorld extends CliWorld {
  git(...args: readonly string[]): string;
  file(name: string): string;
  put(name: string, content: string): void;
  /** A script with a planner of these tasks and these turns. */
  plan(tasks: readonly PlannedTask[], turns: readonly object[]): string;
  ralph(script: string, ...words: readonly string[]): Promise<Ended>;
  startRalph(script: string, ...words: readonly string[]): Live;
  /** Everything of the user's that a run must leave alone while its workers work. */
  userState(): string;
  /** Where the only run keeps what has landed. */
  head(): string;
  /** Work trees of the repository, records of workers' folders, and folders left where the runs' trees are. */
  leftTrees(): readonly string[];
}

export function createIsolationWorld(): IsolationWorld {
  const world = createCliWorld();
  const git = (...args: readonly string[]): string => {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    const done = Bun.spawnSync(["git", ...author, ...args], { cwd: world.project, env: world.env });
    if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr.toString()}`);
    return done.stdout.toString();
  };
  const file = (name: string): string => readFileSync(join(world.project, name), "utf8");
  const put = (name: string, content: string): void => void world.write(`project/${name}`, content);
  git("init", "--quiet", "-b", "main");
  put(".gitignore", "build/\n");
  put("shared.txt", "top\nHOT\nbottom\n");
  put("other.txt", "other\n");
  put("gone.txt", "gone\n");
  git("add", ".");
  git("commit", "-qm", "Start");
  put("other.txt", "other, changed\n");
  put("draft.txt", "draft\n");
  put("build/output", "ignored\n");
  const words = (script: string, more: readonly string[]): readonly string[] => [
    ...["ralph", "Do it", "-a", "scripted", "--script", script, "--max-reviews", "0"],
    ...more,
  ];
  return {
    ...world,
    git,
    file,
    put,
    plan: (tasks, turns) =>
      world.script("plan", [
        {
          agent: "planner",
          steps: [{ say: JSON.stringify({ tasks: tasks.map((task) => ({ title: `Task ${task.id}`, ...task })) }) }],
        },
        ...turns,
      ]),
    ralph: (script, ...more) => world.run(words(script, more)),
    startRalph: (script, ...more) => world.start(words(script, more)),
    userState() {
      const hash = createHash("sha256");
      for (const args of [
        ["status", "--porcelain=v2", "-z", "--branch"],
        ["ls-files", "--stage"],
        [
          "for-each-ref",
          "--format=%(objectname) %(refname)",
          ...["heads", "tags", "stash", "remotes", "notes"].map((name) => `refs/${name}`),
        ],
      ])
        hash.update(git(...args));
      const tracked = git("ls-files", "-z", "--cached", "--others").split("\0");
      for (const name of [...tracked, "build/output"].filter((name) => name !== "")) {
        const path = join(world.project, name);
        hash.update(`${name}\0${existsSync(path) ? readFileSync(path, "latin1") : "gone"}\0`);
      }
      return hash.digest("hex");
    },
    head: () => `refs/atomic/run/${world.onlyRun()}/head`,
    leftTrees() {
      const trees = git("worktree", "list", "--porcelain").match(/^worktree .*$/gm) ?? [];
      const runs = existsSync(world.sessions) ? readdirSync(world.sessions) : [];
      const folders = runs.map((run) => join(world.sessions, run, "trees")).filter((folder) => existsSync(folder));
      const records = join(world.project, ".git/atomic/trees");
      return [...trees.slice(1), ...(existsSync(records) ? readdirSync(records) : []), ...folders];
    },
  };
}

/** A worker's turn that puts a line after the line `HOT` of shared.txt: two of these conflict. */
export function hotLine(task: string): object {
  return {
    agent: "worker",
    task,
    steps: [{ bash: `sed -i 's/^HOT$/HOT\\nline ${task}/' shared.txt`, expect: 0 }, { say: "done" }],
  };
}

/** A worker that finds conflict markers keeps both sides. It comes before the other turns. */
export const resolver: object = {
  agent: "worker",
  match: "with conflict markers",
  steps: [{ bash: "sed -i '/^<<<<<<< /d;/^=======$/d;/^>>>>>>> /d' shared.txt", expect: 0 }, { say: "resolved" }],
};

/** Waits in a worker's turn until a file appears beside the project. */
export function untilFile(world: CliWorld, name: string): object {
  return { bash: `until test -e ${join(world.root, name)}; do sleep 0.02; done`, expect: 0 };
}

export function release(world: CliWorld, name: string): void {
  writeFileSync(join(world.root, name), "");
}
