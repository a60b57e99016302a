// A stranger's repository whose git configuration names programs in every place that git runs one from. Our own calls of
// git run none of them; plain git in the same folder shows that the traps work.

import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

const world = createCliWorld();
const canary = join(world.root, "canary");
const script = world.script("script", [{ steps: [{ say: "Done.\nCOMPLETE" }] }]);
const words = ["ralph", "--yolo", "x", "-a", "scripted", "--script", script, "--verify", "true"];

/** A program that leaves a trace, and passes on what it reads. */
const trap = (name: string, rest = "cat"): string => {
  const path = world.write(`traps/${name}`, `#!/bin/sh\necho '${name}' >> '${canary}'\n${rest}\n`);
  chmodSync(path, 0o755);
  return path;
};

const sprung = (): string => (existsSync(canary) ? readFileSync(canary, "utf8") : "");
const git = (cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const result = Bun.spawnSync(["git", ...args], { cwd, env: { ...world.env, ...identity, ...env } });
  return { ok: result.exitCode === 0, stdout: result.stdout.toString().trim(), stderr: result.stderr.toString() };
};
const identity = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
};

/** One commit, and a change in every file since, so that git has to compare contents. */
function repository(name: string, files: readonly string[], attributes: string | Buffer = ""): string {
  const folder = join(world.root, name);
  mkdirSync(folder, { recursive: true });
  git(folder, ["init", "-q", "."]);
  for (const file of files) writeFileSync(join(folder, file), "one\n");
  git(folder, ["add", "."]);
  git(folder, ["commit", "-qm", "first"]);
  for (const file of files) writeFileSync(join(folder, file), "two\n");
  writeFileSync(join(folder, ".gitattributes"), attributes);
  return folder;
}

/** As it is written in a section's head. */
const quoted = (name: string): string => `"${name.replaceAll(/["\\]/g, (char) => `\\${char}`)}"`;

async function expectNothingRuns(folder: string, env: Readonly<Record<string, string>> = {}) {
  rmSync(canary, { force: true });
  const run = await world.run(words, { cwd: folder, env });
  expect(sprung()).toBe("");
  return run;
}

const names = {
  plain: "plain",
  "an equals sign": "a=b",
  "only equals signs": "==",
  "a double quote": 'a"b',
  "a single quote": "a'b",
  "a dollar and a backquote": "$(x)`y`",
  nothing: "",
  dots: ".a..b.",
  "what looks like a key": "x.clean",
  "the word clean": "clean",
  "capital letters": "UPPER",
  "letters of other scripts": "фильтр-ü",
  "a backslash": "a\\b",
  "a tab in the configuration": "a\tb",
  "a space in the configuration": "a b",
};

describe("a filter does not run whose name has", () => {
  for (const [what, name] of Object.entries(names)) {
    test(
      what,
      async () => {
        // White space ends an attribute's value, so no file can ask for such a filter; it must not break anything either.
        const isUsable = !/\s/.test(name);
        const folder = repository(`filter-${what.replaceAll(" ", "-")}`, ["f"], isUsable ? `f filter=${name}\n` : "");
        const path = trap(`filter-${what.replaceAll(" ", "-")}`);
        appendFileSync(
          join(folder, ".git/config"),
          `[filter ${quoted(name)}]\n  clean = ${path}\n  smudge = ${path}\n  required = true\n[filter "other"]\n  process = ${path}\n`,
        );

        const run = await expectNothingRuns(folder);

        expect(run.exitCode).toBe(0);
        git(folder, ["status"]);
        if (isUsable) expect(sprung()).toContain(`filter-${what.replaceAll(" ", "-")}`);
      },
      patienceMs,
    );
  }

  test(
    "a line break, which git itself refuses",
    async () => {
      const folder = repository("filter-line-break", ["f"], "f filter=a\n");
      const lines = `[filter "a\nb"]\n  clean = ${trap("line-break")}\n`;
      appendFileSync(join(folder, ".git/config"), lines);

      const run = await expectNothingRuns(folder);

      expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining("could not be kept")]);
      expect(git(folder, ["status"]).ok).toBe(false);
    },
    patienceMs,
  );

  test(
    "bytes that are not text",
    async () => {
      const odd = Buffer.from([0x66, 0xff, 0xfe]);
      const folder = repository(
        "filter-bytes",
        ["f"],
        Buffer.concat([Buffer.from("f filter="), odd, Buffer.from("\n")]),
      );
      const head = Buffer.concat([Buffer.from('[filter "'), odd, Buffer.from(`"]\n  clean = ${trap("bytes")}\n`)]);
      appendFileSync(join(folder, ".git/config"), head);

      const run = await expectNothingRuns(folder);

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("could not be kept");
      expect(run.stderr).toContain("not valid UTF-8");
      git(folder, ["status"]);
      expect(sprung()).toContain("bytes");
    },
    patienceMs,
  );

  test(
    "another file that the configuration includes",
    async () => {
      const folder = repository("filter-included", ["f"], "f filter=in=cluded\n");
      world.write("filter-included/more", `[filter "in=cluded"]\n  clean = ${trap("included")}\n`);
      appendFileSync(join(folder, ".git/config"), `[includeIf "gitdir:/"]\n  path = ../more\n`);
      expect((await expectNothingRuns(folder)).exitCode).toBe(0);
      git(folder, ["status"]);
      expect(sprung()).toContain("included");
    },
    patienceMs,
  );

  test(
    "a separate file for this work tree, or another way to write it",
    async () => {
      const folder = repository("filter-worktree", ["f", "g"], "f filter=a=b\ng filter=legacy\n");
      git(folder, ["config", "extensions.worktreeConfig", "true"]);
      world.write("filter-worktree/.git/config.worktree", `[FILTER "a=b"]\n  CLEAN = ${trap("worktree")}\n`);
      appendFileSync(join(folder, ".git/config"), `[Filter.Legacy]\n  clean = ${trap("legacy")}\n`);
      expect((await expectNothingRuns(folder)).exitCode).toBe(0);
      git(folder, ["status"]);
      for (const each of ["worktree", "legacy"]) expect(sprung()).toContain(each);
    },
    patienceMs,
  );

  test(
    "thousands of others around it",
    async () => {
      const folder = repository("filter-many", ["f"], "f filter=n=4999\n");
      const path = trap("many");
      const sections = Array.from({ length: 5000 }, (_, i) => `[filter "n=${i}"]\n  clean = ${path}\n`);
      appendFileSync(join(folder, ".git/config"), sections.join(""));

      const run = await expectNothingRuns(folder);

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("names 5000 programs");
      git(folder, ["status"]);
      expect(sprung()).toContain("many");
    },
    patienceMs,
  );
});

test(
  "no hook, monitor, driver, helper or alias runs",
  async () => {
    const folder = repository("everything", ["f"], "f diff=x merge=x\n");
    const keys: Readonly<Record<string, string>> = {
      "core.fsmonitor": trap("fsmonitor"),
      "core.sshCommand": trap("ssh"),
      "core.gitProxy": trap("proxy"),
      "core.pager": trap("pager"),
      "core.editor": trap("editor"),
      "core.askPass": trap("askpass"),
      "core.alternateRefsCommand": trap("alternates"),
      "diff.external": trap("external"),
      "diff.x.command": trap("driver"),
      "diff.x.textconv": trap("textconv"),
      "merge.x.driver": trap("merge"),
      "credential.helper": `!${trap("credential")}`,
      "credential.https://example.com.helper": `!${trap("credential-url")}`,
      "gpg.program": trap("gpg"),
      "gpg.ssh.program": trap("gpg-ssh"),
      "commit.gpgSign": "true",
      "pager.status": trap("pager-status"),
      "alias.status": `!${trap("alias")}`,
      "alias.rev-parse": `!${trap("alias-rev-parse")}`,
      "remote.origin.url": "https://example.com/x",
      "remote.origin.uploadpack": trap("uploadpack"),
      "submodule.x.update": `!${trap("submodule")}`,
      "hook.x.command": trap("configured-hook"),
      "hook.x.event": "reference-transaction",
      "trailer.x.command": trap("trailer"),
      "init.templateDir": world.root,
      "status.submoduleSummary": "true",
      "core.splitIndex": "true",
      "core.untrackedCache": "true",
    };
    for (const [key, value] of Object.entries(keys)) git(folder, ["config", key, value]);
    git(folder, ["config", "core.hooksPath", join(world.root, "hooks")]);
    for (const hook of ["post-index-change", "reference-transaction", "pre-commit", "post-commit", "pre-auto-gc"])
      for (const place of [world.root, join(folder, ".git")])
        chmodSync(
          world.write(join(place, "hooks", hook).slice(world.root.length), `#!/bin/sh\necho hook >> '${canary}'\n`),
          0o755,
        );

    expect((await expectNothingRuns(folder)).exitCode).toBe(0);

    git(folder, ["status"]);
    git(folder, ["diff"]);
    git(folder, ["update-ref", "refs/x", "HEAD"]);
    for (const each of ["fsmonitor", "driver", "hook"]) expect(sprung()).toContain(each);
  },
  patienceMs,
);

test(
  "a missing object is not fetched, whatever protocol the repository allows",
  async () => {
    const folder = repository("promisor", ["f"]);
    for (const [key, value] of Object.entries({
      "core.repositoryFormatVersion": "1",
      "extensions.partialClone": "origin",
      "protocol.ext.allow": "always",
      "remote.origin.promisor": "true",
      "remote.origin.url": `ext::${trap("promisor", "exit 1")}`,
    }))
      git(folder, ["config", key, value]);
    const tree = git(folder, ["rev-parse", "HEAD^{tree}"]).stdout;
    const object = join(folder, ".git/objects", tree.slice(0, 2), tree.slice(2));
    rmSync(object, { force: true });

    const run = await expectNothingRuns(folder);

    expect(run.stderr).toContain("could not be kept");
    git(folder, ["cat-file", "-p", tree]);
    expect(sprung()).toContain("promisor");
  },
  patienceMs,
);

test(
  "a submodule's and a nested repository's filters do not run",
  async () => {
    const folder = repository("outer", ["f"]);
    for (const inner of ["sub", "nested"]) {
      repository(`outer/${inner}`, ["g"], "g filter=in=ner\n");
      appendFileSync(
        join(folder, inner, ".git/config"),
        `[core]\n  fsmonitor = ${trap("inner-monitor")}\n[filter "in=ner"]\n  clean = ${trap("inner")}\n`,
      );
    }
    git(folder, ["add", "sub"], { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.fsmonitor", GIT_CONFIG_VALUE_0: "" });
    git(folder, ["config", "diff.ignoreSubmodules", "none"]);
    world.write("outer/.gitmodules", `[submodule "sub"]\n  path = sub\n  url = ./sub\n  ignore = none\n`);

    expect((await expectNothingRuns(folder)).exitCode).toBe(0);

    git(folder, ["status"]);
    expect(sprung()).toContain("inner");
  },
  patienceMs,
);

test(
  "a folder that only looks like a bare repository is not one",
  async () => {
    const folder = repository("with-bare", ["f"]);
    const bare = join(folder, "docs");
    git(folder, ["init", "-q", "--bare", bare]);
    git(bare, ["config", "core.worktree", bare]);
    git(bare, ["config", "core.bare", "false"]);
    git(bare, ["config", "core.fsmonitor", trap("bare")]);
    writeFileSync(join(bare, "readme"), "x");

    await expectNothingRuns(bare);

    git(bare, ["status"]);
    expect(sprung()).toContain("bare");
    expect(readdirSync(join(bare, "refs"))).toEqual(["heads", "tags"]);
  },
  patienceMs,
);

test(
  "the user's own variables still count, and none of the repository's programs runs beside them",
  async () => {
    const folder = repository("own-variables", ["f"], "f filter=a=b\n");
    appendFileSync(join(folder, ".git/config"), `[filter "a=b"]\n  clean = ${trap("own-variables")}\n`);
    const ignore = world.write("ignored-by-user", "*.secret\n");
    writeFileSync(join(folder, "x.secret"), "not kept");
    const env = {
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "filter.a=b.clean",
      GIT_CONFIG_VALUE_0: trap("own-variable"),
      GIT_CONFIG_KEY_1: "core.excludesFile",
      GIT_CONFIG_VALUE_1: ignore,
    };

    expect((await expectNothingRuns(folder, env)).exitCode).toBe(0);

    const [ref = ""] = git(folder, ["for-each-ref", "--format=%(refname)", "refs/atomic"]).stdout.split("\n");
    expect(git(folder, ["ls-tree", "--name-only", ref]).stdout.split("\n")).toEqual([".gitattributes", "f"]);
    // Git takes all of these for 2.
    for (const count of ["+2", " 2", "0000002"]) {
      expect((await expectNothingRuns(folder, { ...env, GIT_CONFIG_COUNT: count })).exitCode).toBe(0);
    }
    for (const count of ["many", "2 ", "+", "-2"]) {
      const refused = await world.run(words, { cwd: folder, env: { GIT_CONFIG_COUNT: count } });
      expect(refused.stderr).toContain("GIT_CONFIG_COUNT");
      expect(refused.exitCode).toBe(1);
    }
  },
  patienceMs,
);

test.skipIf(process.getuid?.() !== 0)(
  "the user's safe.directory opens a repository of another user's",
  async () => {
    const folder = repository("another-owner", ["f"]);
    Bun.spawnSync(["chown", "-R", "12345", folder]);
    expect((await world.run(words, { cwd: folder })).stderr).toContain("dubious ownership");
    const env = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: folder };
    expect((await world.run(words, { cwd: folder, env })).exitCode).toBe(0);
    expect(git(folder, ["for-each-ref", "refs/atomic"], env).stdout).toContain("refs/atomic/kept/");
  },
  patienceMs,
);
