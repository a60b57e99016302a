// The product's main job in under a minute, with no key and no network: in a temporary git repository ralph, on the
// embedded agent, plans a snake game, three workers write it at the same time, its tests really run (one fails first and
// is fixed), a review finds one thing, the fix lands, and the report says what was checked.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);
const place = mkdtempSync(join(tmpdir(), "atomic-demo-"));
const repository = join(place, "snake");
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

function git(...args: readonly string[]): void {
  const done = spawnSync("git", ["-c", "user.name=Demo", "-c", "user.email=demo@localhost", ...args], {
    cwd: repository,
    env,
  });
  if (done.status !== 0) throw new Error(`git ${args.join(" ")}: ${done.error?.message ?? done.stderr.toString()}`);
}

git("init", "--quiet");
writeFileSync(join(repository, "README.md"), "# Snake\n\nA snake game for the terminal.\n");
git("add", ".");
git("commit", "--quiet", "-m", "Start");
// Work that was not committed: it is kept under a private ref before the first worker starts.
writeFileSync(join(repository, "notes.txt"), "the snake should not turn into itself\n");

const run = [
  "ralph",
  "Build a snake game for the terminal in TypeScript",
  "--agent",
  "scripted",
  "--script",
  join(root, "demo/snake/script.ts"),
];
process.stdout.write(
  `$ atomic ${run.map((word) => (word.includes(" ") ? JSON.stringify(word) : word.replace(`${root}/`, ""))).join(" ")}\n\n`,
);
const { status } = spawnSync(join(root, "bin/atomic"), run, { cwd: repository, env, stdio: "inherit" });
if (status !== 0 || !existsSync(join(repository, "src/main.ts"))) {
  process.stderr.write(`\nThe demo did not finish (exit code ${String(status)}). What it did is in ${place}.\n`);
  process.exit(status ?? 1);
}
process.stdout.write(`\nThe game is in ${repository}. Play it: cd ${repository} && ${process.execPath} src/main.ts\n`);
