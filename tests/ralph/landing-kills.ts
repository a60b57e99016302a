// One cell of the landing matrix: ralph with workers in separate trees, two of them in conflict, killed at one call
// of git or at a random moment, and resumed to its end. Then everything that a kill could have broken is checked.
//
// A `git` that stands before the real one counts our own calls and kills the program at a chosen one: before git runs,
// while it does (git is killed with it), or after it. So every phase is hit, between any two of its steps.

import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ended } from "../cli/cli-world.ts";
import { createIsolationWorld, hotLine, type IsolationWorld, resolver } from "../cli/isolation-world.ts";

export type LandingKill =
  | { readonly call: number; readonly when: "before" | "during" | "after" }
  | { readonly afterMs: number };

export interface LandingCell {
  readonly land: "tree" | "none";
  readonly kills: readonly LandingKill[];
}

export interface LandingEnd {
  /** What is wrong, or nothing. */
  readonly problems: readonly string[];
  /** Calls of git that the run made. */
  readonly calls: number;
  readonly killed: number;
  /** The last call before each kill. */
  readonly at: readonly string[];
}

const ids = ["1", "2", "3", "4"];
const maxProcesses = 12;

export async function runLandingCell({ land, kills }: LandingCell): Promise<LandingEnd> {
  const world = createIsolationWorld();
  const place = placeGit(world);
  const script = world.plan(
    ids.map((id) => ({ id, verify: `grep -q 'work of ${id}' task-${id}.txt && ! grep -q '^<<<<<<<' shared.txt` })),
    [
      { ...resolver, steps: [...stepsOf(resolver).slice(0, 1), { say: "resolved" }] },
      ...ids.map((id) => ({
        agent: "worker",
        task: id,
        steps: [
          { write: { path: `task-${id}.txt`, content: `work of ${id}\n` } },
          // Killed and resumed, the worker finds what it did before.
          ...(Number(id) % 2 === 0
            ? [{ bash: `grep -q 'line ${id}' shared.txt || ${hotCommand(id)}`, expect: 0 }]
            : []),
          { say: "done" },
        ],
      })),
    ],
  );
  const env = { PATH: `${place.bin}:${world.env["PATH"] ?? ""}` };
  const before = world.userState();
  const problems: string[] = [];
  const at: string[] = [];
  const left = [...kills];
  const first = ["ralph", "Do it", "--script", script, "--max-reviews", "0", "--land", land];
  let words: readonly string[] = first;
  let last: Ended | undefined;
  let killed = 0;
  for (let processes = 0; processes < maxProcesses; processes++) {
    const kill = left.shift();
    place.arm(kill);
    const live = world.start(words, { env });
    const timer =
      kill !== undefined && "afterMs" in kill ? setTimeout(() => live.signal("SIGKILL"), kill.afterMs) : undefined;
    last = await live.ended;
    clearTimeout(timer);
    if (last.stderr.includes("RUN_NOT_FOUND") && words !== first) {
      // Killed before its start was on record: there is nothing to resume.
      rmSync(world.sessions, { recursive: true });
      words = first;
      continue;
    }
    if (last.exitCode !== null && last.exitCode < 128) break;
    killed++;
    at.push(place.lastCall());
    // Delivery comes last: before everything has landed, nothing of the user's may differ.
    if ((land === "none" || !hasLanded(world, ids.length)) && world.userState() !== before)
      problems.push("the user's files, index or refs changed while workers worked");
    if (runsIn(world).length > 0) words = ["resume"];
  }
  if (last?.exitCode !== 0) problems.push(`it ended with ${last?.exitCode}: ${last?.stderr.slice(-600)}`);
  else problems.push(...look(world, land, before));
  const end = { problems, calls: place.calls(), killed, at };
  if (problems.length === 0) rmSync(world.root, { recursive: true, force: true });
  return end;
}

/** Everything that must hold at the end. */
function look(world: IsolationWorld, land: LandingCell["land"], before: string): readonly string[] {
  const problems: string[] = [];
  const expectText = (what: string, found: string, wanted: string): void => {
    if (found !== wanted) problems.push(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  };
  const head = world.head();
  const trailers = world.git("log", "--format=%(trailers:key=Atomic-Task,valueonly,separator=%x20)", `HEAD..${head}`);
  expectText("landed", lines(trailers).join(" "), ids.join(" "));
  const shared = world.git("show", `${head}:shared.txt`);
  expectText("shared.txt", lines(shared).join(" "), ["HOT", "bottom", "line 2", "line 4", "top"].join(" "));
  for (const id of ids) expectText(`task ${id}`, world.git("show", `${head}:task-${id}.txt`), `work of ${id}\n`);
  expectText("uncommitted work", world.git("show", `${head}:other.txt`), "other, changed\n");
  if (land === "none") expectText("the user's state", world.userState(), before);
  else {
    expectText("delivered shared.txt", world.file("shared.txt"), shared);
    const status = [" M other.txt", " M shared.txt", "?? draft.txt", ...ids.map((id) => `?? task-${id}.txt`)];
    expectText("status", world.git("status", "--porcelain"), `${status.join("\n")}\n`);
  }
  expectText("ignored files", world.file("build/output"), "ignored\n");
  expectText("trees", world.leftTrees().join(" "), "");
  const locks = readdirSync(join(world.project, ".git"), { recursive: true }).map(String);
  expectText("locks", locks.filter((name) => name.endsWith(".lock")).join(" "), "");
  expectText("processes", processesIn(world.root).join(" "), "");
  try {
    world.git("fsck", "--strict", "--no-dangling");
  } catch (thrown) {
    problems.push(String(thrown));
  }
  return problems;
}

function hasLanded(world: IsolationWorld, count: number): boolean {
  if (runsIn(world).length === 0) return false;
  try {
    return (
      lines(world.git("log", "--format=%(trailers:key=Atomic-Task,valueonly)", `HEAD..${world.head()}`)).length >= count
    );
  } catch {
    // No head yet: git says so.
    return false;
  }
}

function runsIn(world: IsolationWorld): readonly string[] {
  return existsSync(world.sessions) ? [...new Bun.Glob("*/journal.sqlite").scanSync(world.sessions)] : [];
}

function lines(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .toSorted();
}

/** Processes that work below a folder. */
function processesIn(root: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(root);
    } catch {
      // Ended, or another user's.
      return false;
    }
  });
}

interface PlacedGit {
  readonly bin: string;
  arm(kill: LandingKill | undefined): void;
  calls(): number;
  lastCall(): string;
}

function placeGit(world: IsolationWorld): PlacedGit {
  const bin = join(world.root, "bin");
  const real = Bun.which("git", { PATH: world.env["PATH"] ?? "" }) ?? "/usr/bin/git";
  mkdirSync(bin);
  // One dot for each call: a shell counts these without another program.
  const [calls, count, kill] = [join(bin, "calls"), join(bin, "count"), join(bin, "kill")];
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh
# Workers may call git too; only our own calls are made like this.
[ "$GIT_OPTIONAL_LOCKS" = 0 ] || exec ${real} "$@"
echo "$1 $2" >> ${calls}
[ -e ${kill} ] || exec ${real} "$@"
printf . >> ${count}
read -r at when < ${kill}
read -r made < ${count}
[ \${#made} -eq "$at" ] || exec ${real} "$@"
rm -f ${kill}
case $when in
before) kill -9 $PPID ;;
during) ${real} "$@" & child=$!; sleep 0.004; kill -9 $PPID; kill -9 $child ;;
after) ${real} "$@"; kill -9 $PPID ;;
esac
`,
    { mode: 0o755 },
  );
  const all = (): readonly string[] =>
    existsSync(calls) ? readFileSync(calls, "utf8").split("\n").filter(Boolean) : [];
  return {
    bin,
    arm(next) {
      for (const file of [calls, count, kill]) rmSync(file, { force: true });
      if (next !== undefined && "call" in next) writeFileSync(kill, `${next.call} ${next.when}\n`);
    },
    calls: () => all().length,
    lastCall: () => all().at(-1) ?? "",
  };
}

function hotCommand(id: string): string {
  const [first] = stepsOf(hotLine(id));
  return (first as { readonly bash: string }).bash;
}

function stepsOf(turn: object): readonly object[] {
  return (turn as { readonly steps: readonly object[] }).steps;
}
