// Locks that a killed git leaves at a run's own refs: whichever ref it was, the run is resumed to its end. A `git` that
// stands before the real one leaves the lock and kills the program, once for each of these refs.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patienceMs } from "./cli-world.ts";
import { createIsolationWorld, type IsolationWorld } from "./isolation-world.ts";

/** Patterns of `case`, in the order in which a run writes its refs. */
const delivered = ["*/kept/*", "*/base", "*/task/1", "*/merge/1", "*/head", "*/delivered"];
const onBranch = ["refs/heads/atomic/*"];

for (const [land, refs] of [
  ["tree", delivered],
  ["branch", onBranch],
] as const)
  test(
    `--land ${land}: a git that was killed while it wrote a ref of the run does not keep the run from its end`,
    async () => {
      const world = createIsolationWorld();
      const bin = placeGit(world, refs);
      const env = { PATH: `${bin}:${world.env["PATH"] ?? ""}` };
      const script = world.plan(
        [{ id: "1" }],
        [{ agent: "worker", steps: [{ bash: "echo 1 > one.txt", expect: 0 }, { say: "done" }] }],
      );
      const words = ["ralph", "Do it", "--script", script, "--max-reviews", "0", "--land", land];

      let run = await world.start(words, { env }).ended;
      let killed = 0;
      for (; run.exitCode !== 0 && killed < refs.length; killed++) {
        expect(run.stderr).not.toContain("File exists");
        run = await world.start(["resume", world.onlyRun()], { env }).ended;
      }

      expect(run.exitCode, run.stderr).toBe(0);
      expect(killed).toBe(refs.length);
      expect(world.git("show", `${world.head()}:one.txt`)).toBe("1\n");
      const left = readdirSync(join(world.project, ".git"), { recursive: true }).map(String);
      expect(left.filter((name) => name.endsWith(".lock"))).toEqual([]);
    },
    3 * patienceMs,
  );

test(
  "a run never takes the lock of all refs, which a killed git would leave to the user",
  async () => {
    const world = createIsolationWorld();
    const lock = join(world.project, ".git/packed-refs.lock");
    writeFileSync(lock, "");
    const script = world.plan([{ id: "1" }], [{ agent: "worker", steps: [{ bash: "echo 1 > 1.txt" }, { say: "x" }] }]);

    const run = await world.run(["ralph", "Do it", "--script", script, "--max-reviews", "0", "--json"]);

    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stdout).not.toContain("packed-refs");
    expect(existsSync(lock)).toBe(true);
  },
  3 * patienceMs,
);

test(
  "sessions rm removes a run whose refs have such locks",
  async () => {
    const world = createIsolationWorld();
    const bin = placeGit(world, ["*/head"]);
    const env = { PATH: `${bin}:${world.env["PATH"] ?? ""}` };
    const script = world.plan([{ id: "1" }], [{ agent: "worker", steps: [{ bash: "echo 1 > 1.txt" }, { say: "x" }] }]);
    const words = ["ralph", "Do it", "--script", script, "--max-reviews", "0"];
    expect((await world.start(words, { env }).ended).exitCode).not.toBe(0);

    const removed = await world.run(["sessions", "rm", world.onlyRun()]);

    expect(removed.stderr).toBe("");
    expect(world.git("for-each-ref", "refs/atomic")).toBe("");
  },
  3 * patienceMs,
);

function placeGit(world: IsolationWorld, refs: readonly string[]): string {
  const bin = join(world.root, "bin");
  const real = Bun.which("git", { PATH: world.env["PATH"] ?? "" }) ?? "/usr/bin/git";
  mkdirSync(bin);
  const trap = (pattern: string, i: number): string => `${pattern}) mkdir ${bin}/${i} 2>/dev/null && leave ;;`;
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh
[ "$1 $2" = "update-ref --no-deref" ] || exec ${real} "$@"
if [ "$3" = --stdin ]; then
  input=$(cat)
  ref=\${input#* }
  ref=\${ref%% *}
else
  input=
  ref=$3
fi
leave() {
  mkdir -p "$GIT_DIR/\${ref%/*}"
  : > "$GIT_DIR/$ref.lock"
  kill -9 $PPID
  exit 1
}
case $ref in
${refs.map(trap).join("\n")}
esac
printf '%s\\n' "$input" | exec ${real} "$@"
`,
    { mode: 0o755 },
  );
  return bin;
}
