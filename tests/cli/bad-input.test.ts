// A project that tries everything, seen through the real program: each bad thing is reported once, and all the rest is
// listed.

import { afterAll, describe, expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { badThings, goodThings, hugeFile } from "../support/bad-project.ts";
import { tempTree } from "../support/temp-tree.ts";
import { createCliWorld } from "./cli-world.ts";

interface Listing {
  readonly found: readonly { readonly name: string; readonly location?: string; readonly source?: string }[];
  readonly problems: readonly { readonly file?: string; readonly code: string; readonly message: string }[];
}

const world = createCliWorld();
const tree = tempTree(Object.assign({}, goodThings, ...badThings.map((bad) => bad.files)));
afterAll(() => tree[Symbol.dispose]());
truncateSync(tree.path(hugeFile), 50 * 1024 * 1024);

async function list(...words: string[]): Promise<Listing> {
  const run = await world.run([...words, "--json"], { cwd: tree.root });
  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  return JSON.parse(run.stdout) as Listing;
}

const listings = await Promise.all([list("agents"), list("skills"), list("commands"), list("workflows")]);
const [agents, skills, commands, workflows] = listings;

describe("of everything bad in a project, the listings say once what is wrong with", () => {
  // Tools have no listing: doctor reports them.
  for (const { what, at, code } of badThings.filter((bad) => !bad.at.includes("/tools/"))) {
    test(what, () => {
      const said = listings.map(({ problems }) => problems.filter((each) => each.file === tree.path(at)));
      expect(said.flat().length).toBeGreaterThan(0);
      for (const problems of said) expect(problems.length).toBeLessThanOrEqual(1);
      for (const problem of said.flat()) expect(problem.code).toBe(code);
    });
  }

  test("a tool, in doctor", async () => {
    const run = await world.run(["doctor"], { cwd: tree.root });
    expect(run.stdout).toContain(`${tree.path(".atomic/tools/half.ts")}: A tool needs`);
    expect(run.exitCode).toBe(0);
  });
});

test("everything good beside it is listed", () => {
  const own = (listing: Listing | undefined): string[] =>
    (listing?.found ?? [])
      .filter((each) => each.location === "project" || each.source === "local")
      .map((each) => each.name);
  expect(own(agents)).toEqual(["bom", "inline", "linked", "twin"]);
  expect(own(skills)).toEqual(["good-skill", "greedy"]);
  expect(own(workflows)).toEqual(["good", "help"]);
  const slash = (commands?.found ?? []).map((each) => each.name);
  for (const name of ["help", "good", "good-skill", "good-command", "bom", "commit", "ralph"])
    expect(slash).toContain(name);
});

test("no listing prints anything that could drive the terminal", async () => {
  for (const words of [["agents"], ["skills"], ["commands"], ["workflows"], ["doctor"]]) {
    const run = await world.run(words, { cwd: tree.root });
    expect(run.stdout.replaceAll(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  }
});

test("an unreadable folder is reported too", async () => {
  using looped = tempTree({ ".claude/agents": { link: "agents" }, ".atomic/workflows": { link: "../../outside" } });
  const run = await world.run(["agents"], { cwd: looped.root });
  expect(run.stdout).toContain(".claude/agents");
  expect(run.exitCode).toBe(0);
});
