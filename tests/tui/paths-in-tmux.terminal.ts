// What is offered after an @, in the real program: files that git knows, new ones, ignored ones last, folders and agents.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const script = world.script("chat", [
  { agent: "debugger", steps: [{ say: "I am the debugger." }] },
  { match: "@src/deep/reader\\.ts @", steps: [{ say: "I got the paths." }] },
  { steps: [{ say: "No path." }] },
]);
const git = (...words: readonly string[]): void => {
  Bun.spawnSync(["git", ...words], { cwd: world.project, env: { ...world.env } });
};
git("init", "-q");
world.write("project/.gitignore", "out/\n*.log\n");
world.write("project/src/deep/reader.ts", "");
world.write("project/src/gone-reader.ts", "");
world.write("project/a file.md", "");
git("add", "-A");
world.write("project/new-reader.ts", "");
world.write("project/out/reader.js", "");
world.write("project/reader.log", "");
Bun.spawnSync(["rm", `${world.project}/src/gone-reader.ts`]);
const tmux = createTmux(world);
const open = () => tmux.open([world.program, "chat", "--script", script]);

test.skipIf(tmuxProgram === null)("an @ offers files, folders and agents; Tab puts the path in", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.type("look at @reader");
  const frame = await chat.seen("reader.log");
  const rows = frame.slice(frame.indexOf("❯ look at")).split("\n").slice(1);
  expect(rows.slice(0, 3).map((row) => row.trim().split(/\s{2,}/))).toEqual([
    ["src/deep/reader.ts"],
    ["new-reader.ts"],
    ["reader.log", "ignored by git"],
  ]);
  expect(frame).not.toContain("gone-reader");
  chat.keys("Tab");
  await chat.seen("❯ look at @src/deep/reader.ts");
  chat.type("@a f");
  chat.keys("BSpace", "BSpace");
  chat.type(" file");
  chat.keys("C-w", "C-w");
  chat.type("@afile");
  await chat.seen("a file.md");
  chat.keys("Tab");
  await chat.seen('@"a file.md"');
  chat.keys("Enter");
  await chat.seen("I got the paths.");

  chat.type("@src/");
  await chat.seen("src/deep/");
  chat.keys("C-u");
  chat.type("@out/");
  await chat.seen("out/reader.js");
  chat.keys("C-u");
  chat.type("@debug");
  await chat.seen(/@debugger\s+agent/);
  chat.keys("Tab");
  chat.type("find it");
  chat.keys("Enter");
  await chat.seen("I am the debugger.");
});
