// What a checkout of a commit does not have: submodules, repositories inside the repository, and files under a filter.
// Workers get them as the user has them; what they change there is kept and reported, not landed.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patienceMs } from "./cli-world.ts";
import { createIsolationWorld, type IsolationWorld } from "./isolation-world.ts";

setDefaultTimeout(patienceMs);

function gitIn(world: IsolationWorld, folder: string, ...args: readonly string[]): string {
  return world.git("-C", folder, ...args);
}

/** A submodule `lib` with a submodule `deep` inside, both from repositories that are gone: there is nothing to fetch. */
function addSubmodules(world: IsolationWorld): void {
  const origins = ["deep", "lib"].map((name) => join(world.root, `${name}-origin`));
  const [deep = "", lib = ""] = origins;
  const allow = ["-c", "protocol.file.allow=always"];
  for (const origin of origins) {
    world.git("init", "-q", "-b", "main", origin);
    writeFileSync(join(origin, "code.txt"), "code\n");
    gitIn(world, origin, "add", ".");
    gitIn(world, origin, "commit", "-qm", "Start");
  }
  gitIn(world, lib, ...allow, "submodule", "--quiet", "add", deep, "deep");
  gitIn(world, lib, "commit", "-qm", "Add deep");
  world.git(...allow, "submodule", "--quiet", "add", lib, "lib");
  world.git(...allow, "submodule", "--quiet", "update", "--init", "--recursive");
  world.git("commit", "-qm", "Add lib");
  for (const origin of origins) rmSync(origin, { recursive: true });
}

test("workers find submodules as the user has them, without the network; changes there are kept and reported", async () => {
  const world = createIsolationWorld();
  addSubmodules(world);
  world.put("lib/code.txt", "code, changed\n");
  world.put("clone/readme.txt", "a clone\n");
  gitIn(world, join(world.project, "clone"), "init", "-q");
  gitIn(world, join(world.project, "clone"), "add", ".");
  gitIn(world, join(world.project, "clone"), "commit", "-qm", "Start");
  const sees =
    "cat lib/code.txt lib/deep/code.txt clone/readme.txt > seen.txt && git -C lib status --porcelain >> seen.txt";
  const script = world.plan(
    [{ id: "1", verify: "test -e lib/deep/code.txt" }, { id: "2" }],
    [
      { agent: "worker", task: "1", steps: [{ bash: sees, expect: 0 }, { say: "done" }] },
      {
        agent: "worker",
        task: "2",
        steps: [
          {
            bash: "echo mine > lib/new.txt && git -C lib add . && git -C lib -c user.name=w -c user.email=w@w commit -qm x",
          },
          { bash: "git init -q made && echo x > made/file.txt && git init -q empty && echo 2 > two.txt", expect: 0 },
          { say: "done" },
        ],
      },
    ],
  );
  const before = gitIn(world, "lib", "rev-parse", "HEAD");

  const run = await world.ralph(script);

  expect(run.exitCode).toBe(0);
  expect(run.stderr + run.stdout).not.toContain("workers share your folder");
  expect(world.file("seen.txt")).toBe("code, changed\ncode\na clone\nM  code.txt\n");
  expect(world.file("two.txt")).toBe("2\n");
  expect(gitIn(world, "lib", "rev-parse", "HEAD")).toBe(before);
  expect(existsSync(join(world.project, "lib/new.txt"))).toBe(false);
  expect(world.git("ls-tree", "-r", "--name-only", world.head())).not.toContain("made");
  const ref = `refs/atomic/run/${world.onlyRun()}/task/2`;
  expect(run.stdout).toContain(
    `task 2 changed lib, which does not land: it is in a repository of its own; kept: git -C lib show ${ref}`,
  );
  expect(gitIn(world, "lib", "show", `${ref}:new.txt`)).toBe("mine\n");
  expect(run.stdout).toContain("task 2 changed made, which does not land: the worker made it a repository");
  expect(readFileSync(join(world.sessions, world.onlyRun(), "not-landed/2/made/file.txt"), "utf8")).toBe("x\n");
  expect((await world.run(["sessions", "rm", world.onlyRun()])).exitCode).toBe(0);
  expect(gitIn(world, "lib", "for-each-ref", "refs/atomic")).toBe("");
});

test("files under a filter come from the user's folder as they are; a worker's change is reported, not landed", async () => {
  const world = createIsolationWorld();
  // A filter like that of Git LFS: git stores a pointer, the folder has the content.
  world.git("config", "filter.big.clean", "sed s/^content/pointer/");
  world.git("config", "filter.big.smudge", "sed s/^pointer/content/");
  world.git("config", "filter.big.required", "true");
  world.put(".gitattributes", "*.bin filter=big\n");
  for (const name of ["a.bin", "b.bin", "c.bin"]) world.put(name, `content of ${name}\n`);
  world.git("add", ".");
  world.git("commit", "-qm", "Add big files");
  world.put("b.bin", "content, changed by the user\n");
  world.put("new.bin", "content of an untracked one\n");
  expect(world.git("show", "HEAD:a.bin")).toBe("pointer of a.bin\n");
  const script = world.plan(
    [{ id: "1", verify: "grep -q content a.bin" }, { id: "2" }],
    [
      {
        agent: "worker",
        task: "1",
        steps: [{ bash: "cat a.bin b.bin new.bin > seen.txt", expect: 0 }, { say: "done" }],
      },
      {
        agent: "worker",
        task: "2",
        steps: [
          { bash: "echo content by 2 > a.bin; rm c.bin; echo content > made.bin; echo 2 > two.txt", expect: 0 },
          { say: "done" },
        ],
      },
    ],
  );

  const run = await world.ralph(script);

  expect(run.exitCode).toBe(0);
  expect(world.file("seen.txt")).toBe("content of a.bin\ncontent, changed by the user\ncontent of an untracked one\n");
  expect(world.file("two.txt")).toBe("2\n");
  expect(world.file("a.bin")).toBe("content of a.bin\n");
  expect(world.file("b.bin")).toBe("content, changed by the user\n");
  expect(world.file("c.bin")).toBe("content of c.bin\n");
  expect(existsSync(join(world.project, "made.bin"))).toBe(false);
  const files = world.git("ls-tree", "-r", "--name-only", world.head()).split("\n");
  expect(files.filter((name) => name.endsWith(".bin"))).toEqual(["a.bin", "b.bin", "c.bin"]);
  for (const name of ["a", "b", "c"])
    expect(world.git("show", `${world.head()}:${name}.bin`)).toBe(`pointer of ${name}.bin\n`);
  for (const name of ["a", "c", "made"])
    expect(run.stdout).toContain(`task 2 changed ${name}.bin, which does not land: it is under a filter`);
  expect(run.stdout).not.toContain("task 1 changed");
  const kept = join(world.sessions, world.onlyRun(), "not-landed/2/a.bin");
  expect(readFileSync(kept, "utf8")).toBe("content by 2\n");
});
