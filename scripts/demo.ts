// The product's main job in under a minute, with no key and no network, in a temporary git repository on the embedded
// agent. `npm run demo`: ralph plans a snake game, three workers write it at the same time, its tests really run (one
// fails first and is fixed), a review finds one problem, the fix lands, and the report says what was checked.
// `npm run demo -- one-file`: three workers add to one file at the same place; each change lands once.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { check, files } from "../demo/one-file/script.ts";

interface Demo {
  readonly prompt: string;
  readonly words: readonly string[];
  /** Committed before the run. */
  readonly files: Readonly<Record<string, string>>;
  /** Work that was not committed: it is kept under a private ref before the first worker starts. */
  readonly uncommitted: Readonly<Record<string, string>>;
  /** Shows the result, and returns whether it is complete. */
  end(): boolean;
}

const root = dirname(import.meta.dirname);
const demos: Readonly<Record<string, Demo>> = {
  snake: {
    prompt: "Build a snake game for the terminal in TypeScript",
    words: [],
    files: { "README.md": "# Snake\n\nA snake game for the terminal.\n" },
    uncommitted: { "notes.txt": "the snake should not turn into itself\n" },
    end() {
      print(`The game is in ${repository}. Play it: cd ${repository} && ${process.execPath} src/main.ts`);
      return existsSync(join(repository, "src/main.ts"));
    },
  },
  "one-file": {
    prompt: "Add the commands hello, time and total",
    words: ["--workers", "3", "--max-tries", "6", "--max-reviews", "0", "--verify", check],
    files,
    uncommitted: { "notes.txt": "three commands to start with\n" },
    end() {
      const [head = ""] = git("for-each-ref", "--format=%(refname)", "refs/atomic/run/*/head").split("\n");
      const landed = git("log", "--format=%h %s", `${head.replace(/head$/, "base")}..${head}`);
      print(`What landed, one commit for each task:\n\n${landed}\nIn your folder, not committed:\n\n${git("diff")}`);
      return landed.trim().split("\n").length === 3;
    },
  },
};

const [name = "snake"] = process.argv.slice(2);
const demo = demos[name];
if (demo === undefined) {
  process.stderr.write(`There is no demo "${name}". There are: ${Object.keys(demos).join(", ")}.\n`);
  process.exit(2);
}
const place = mkdtempSync(join(tmpdir(), "atomic-demo-"));
const repository = join(place, name);
const home = join(place, "home");
for (const folder of [repository, home]) mkdirSync(folder);

// None of the user's files are read or written: the run gets a separate home.
const path = [dirname(process.execPath), process.env["PATH"] ?? ""].join(":");
const env = {
  PATH: path,
  HOME: home,
  ATOMIC_HOME: join(home, ".atomic"),
  TERM: process.env["TERM"] ?? "dumb",
  LANG: "C.UTF-8",
};

git("init", "--quiet");
writeAll(demo.files);
git("add", ".");
git("commit", "--quiet", "-m", "Start");
writeAll(demo.uncommitted);

const script = join(root, "demo", name, "script.ts");
const run = ["ralph", demo.prompt, "--agent", "scripted", "--script", script, ...demo.words];
print(
  `$ atomic ${run.map((word) => (word.includes(" ") ? JSON.stringify(word) : word.replace(`${root}/`, ""))).join(" ")}\n`,
);
const { status } = spawnSync(join(root, "bin/atomic"), run, { cwd: repository, env, stdio: "inherit" });
print("");
if (status !== 0 || !demo.end()) {
  process.stderr.write(`\nThe demo did not finish (exit code ${String(status)}). What it did is in ${place}.\n`);
  process.exit(status === 0 ? 1 : (status ?? 1));
}

function git(...args: readonly string[]): string {
  const done = spawnSync("git", ["-c", "user.name=Demo", "-c", "user.email=demo@localhost", ...args], {
    cwd: repository,
    env,
  });
  if (done.status !== 0) throw new Error(`git ${args.join(" ")}: ${done.error?.message ?? done.stderr.toString()}`);
  return done.stdout.toString();
}

function writeAll(all: Readonly<Record<string, string>>): void {
  for (const [file, content] of Object.entries(all)) writeFileSync(join(repository, file), content);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
