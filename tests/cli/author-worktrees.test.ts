// `ctx.worktree(name)` in a workflow of the user's own: parts that work beside each other, land once, and survive a kill.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { patienceMs } from "./cli-world.ts";
import { createIsolationWorld, release } from "./isolation-world.ts";

setDefaultTimeout(patienceMs);

const header = `import { createNode, graph, subagentNode } from "atomic/workflows/graph";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
export const metadata = { name: "parts", description: "Works on parts beside each other" };
`;

test(
  "parts of a workflow work in separate trees; a conflict is resolved there, checks run on the merge, all is delivered",
  async () => {
    const world = createIsolationWorld();
    world.workflow(
      "parts",
      `${header}
const part = (id: string) =>
  createNode<{ outputs: Record<string, unknown> }>({
    id,
    execute: async (ctx) => {
      const tree = await ctx.worktree(id);
      const file = join(tree.folder, "shared.txt");
      writeFileSync(file, readFileSync(file, "utf8").replace("HOT", "HOT\\n" + id));
      let landing = await tree.land({ message: "Add " + id, verify: ["grep -q HOT shared.txt"] });
      const seen = [landing.outcome];
      while (landing.outcome === "conflict") {
        const text = readFileSync(file, "utf8");
        if (!text.includes("<<<<<<<")) throw new Error("no markers");
        const early = await tree.land();
        seen.push("markers left: " + early.outcome);
        writeFileSync(file, text.replaceAll(/^(<<<<<<<|=======|>>>>>>>).*\\n/gm, ""));
        landing = await tree.land({ message: "Add " + id, verify: ["grep -q HOT shared.txt"] });
        seen.push(landing.outcome);
      }
      writeFileSync(join(tree.folder, id + "-left.txt"), "left\\n");
      return { stateUpdate: { outputs: { [id]: seen } } };
    },
  });
const failing = createNode({
  id: "failing",
  execute: async (ctx) => {
    const tree = await ctx.worktree("failing");
    writeFileSync(join(tree.folder, "bad.txt"), "bad\\n");
    const landing = await tree.land({ verify: ["echo no >&2; exit 3"] });
    const kept = await tree.keep();
    const none = await (await ctx.worktree("empty")).land();
    await tree.remove();
    return { stateUpdate: { outputs: { failing: [landing.outcome, landing.checks[0]?.exitCode, kept.ref, none.outcome] } } };
  },
});
const agent = subagentNode<{ outputs: Record<string, unknown> }>({ id: "agent", agent: "atomic:worker", task: "Do it", worktree: "by agent" });
const finish = createNode({ id: "finish", execute: async (ctx) => void (await (await ctx.worktree("by agent")).land()) });
export default () => graph().start(agent).then(finish).parallel({ branches: [part("one"), part("two")] }).then(failing).compile();
`,
    );
    const script = world.script("parts", [
      { agent: "worker", steps: [{ write: { path: "by-agent.txt", content: "agent\n" } }, { say: "done" }] },
    ]);

    const run = await world.run(["run", "parts", "Do it", "-a", "scripted", "--script", script, "--json"]);

    expect(run.stderr).not.toContain("failed:");
    expect(run.exitCode).toBe(0);
    const ids = new Set(run.events().flatMap(({ type, task }) => (type === "task.landed" ? [task] : [])));
    expect(ids).toEqual(new Set(["by agent", "one", "two"]));
    expect(world.file("by-agent.txt")).toBe("agent\n");
    const lines = world.file("shared.txt").trim().split("\n");
    expect(lines.toSorted()).toEqual(["HOT", "bottom", "one", "top", "two"]);
    expect(existsSync(join(world.project, "bad.txt"))).toBe(false);
    expect(existsSync(join(world.project, "one-left.txt"))).toBe(false);
    const ref = (name: string): string => `refs/atomic/run/${world.onlyRun()}/task/wt.${name}`;
    expect(world.git("show", `${ref("one")}:one-left.txt`)).toBe("left\n");
    expect(world.git("show", `${ref("failing")}:bad.txt`)).toBe("bad\n");
    const outputs = JSON.stringify(run.events().filter(({ type }) => type === "node.finished"));
    expect(outputs).toContain('"conflict","markers left: conflict","landed"');
    expect(outputs).toContain(`["check-failed",3,"${ref("failing")}","unchanged"]`);
    expect(world.leftTrees()).toEqual([]);
    expect((await world.run(["land", world.onlyRun(), "failing"])).exitCode).toBe(0);
    expect(world.file("bad.txt")).toBe("bad\n");
  },
  patienceMs,
);

test("after kill -9 the same tree is there, and what landed is not landed again", async () => {
  const world = createIsolationWorld();
  world.workflow(
    "parts",
    `${header}
const one = createNode({
  id: "one",
  execute: async (ctx) => {
    const tree = await ctx.worktree("one");
    appendFileSync(join(tree.folder, "log.txt"), tree.isNew ? "made\\n" : "found\\n");
    if (!existsSync(${JSON.stringify(join(world.root, "go"))})) process.kill(process.pid, "SIGKILL");
    const { outcome, commit } = await tree.land();
    return { stateUpdate: { outputs: { one: [outcome, commit] } } };
  },
});
const two = createNode({
  id: "two",
  execute: () => {
    if (existsSync(${JSON.stringify(join(world.root, "die"))})) process.kill(process.pid, "SIGKILL");
  },
});
export default () => graph().start(one).then(two).compile();
`,
  );
  const before = world.userState();
  const script = world.script("none", []);

  expect((await world.run(["run", "parts", "Do it", "--script", script])).exitCode).not.toBe(0);
  expect(readdirSync(join(world.project, ".git/atomic/trees"))).toHaveLength(1);
  release(world, "go");
  release(world, "die");
  expect((await world.run(["resume", world.onlyRun()])).exitCode).not.toBe(0);
  expect(world.userState()).toBe(before);
  Bun.spawnSync(["rm", join(world.root, "die")]);
  const run = await world.run(["resume", world.onlyRun()]);

  expect(run.exitCode).toBe(0);
  expect(readFileSync(join(world.project, "log.txt"), "utf8")).toBe("made\nfound\n");
  expect(world.git("log", "--format=%s", `HEAD..${world.head()}`)).toBe(
    "one\nUncommitted work before Atomic run ".concat(world.onlyRun(), "\n"),
  );
  expect(world.leftTrees()).toEqual([]);
  world.git("fsck", "--strict", "--no-dangling");
});

test("without a repository ctx.worktree says why it can't make a tree", async () => {
  const world = createIsolationWorld();
  world.workflow(
    "parts",
    `${header}
const one = createNode({ id: "one", execute: async (ctx) => void (await ctx.worktree("one")) });
export default () => graph().start(one).compile();
`,
  );
  const script = world.script("none", []);

  const run = await world.run(["run", "parts", "Do it", "--script", script], { cwd: world.home });

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain("The workers' folders can't be used: the folder is in no git repository.");
});
