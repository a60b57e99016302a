// The screens about runs in tmux, typed by keys, with the real program, runs of other processes and the scripted agent.

import { expect, setDefaultTimeout, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, type Pane, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const tasks = [
  { id: "1", title: "retry \x1b[31min\u202E the fetcher", verify: "test -f a.txt" },
  { id: "2", title: "キャッシュ" },
  { id: "3", title: "docs", blockedBy: ["1", "2"] },
];
const until = (file: string): object => ({ bash: `until [ -e ${file} ]; do sleep 0.05; done` });

function createWorld() {
  const world = createCliWorld();
  const script = world.script("ralph", [
    { agent: "planner", steps: [{ say: JSON.stringify({ tasks }) }, usage(0.12)] },
    {
      task: "1",
      steps: [{ write: { path: "a.txt", content: "one\ntwo\n" } }, usage(0.41), until("go"), { say: "Done with 1." }],
    },
    { task: "2", steps: [until("go"), { say: "Done with 2." }] },
    { match: "review", steps: [{ say: '{"verdict":"correct","findings":[]}' }] },
    { steps: [{ say: "Done." }] },
  ]);
  world.workflow(
    "ask",
    `import { askUserNode, graph } from "atomic/workflows";
export const name = "ask";
export const description = "Asks twice";
export const prompt = "none";
export default () => graph()
  .start(askUserNode({ id: "colour", question: "Which colour?", options: ["red", "blue"] }))
  .then(askUserNode({ id: "size", question: "Which size?", default: "medium" }));
`,
  );
  const tmux = createTmux(world);
  return {
    ...world,
    agentScript: script,
    ralph: (): ReturnType<typeof world.start> =>
      world.start(["run", "ralph", "add a retry", "-a", "scripted", "--script", script, "--workers", "2"]),
    async open(size: { columns?: number; rows?: number } = {}): Promise<Pane> {
      const pane = tmux.open([world.program, "chat", "--script", script], size);
      await pane.seen("? keys");
      return pane;
    },
  };
}

function usage(costUsd: number): object {
  return { usage: { inputTokens: 1000, outputTokens: 100, costUsd } };
}

test.skipIf(tmuxProgram === null)(
  "mission control follows a run of another process, looks back, opens a step, and forks it; the old run stays",
  async () => {
    const world = createWorld();
    const run = world.ralph();
    const screen = await world.open({ columns: 110 });
    screen.keys("F3");
    await screen.seen(/◐ 2 キャッシュ +bash until/);
    const frame = await screen.seen(/◐ 1 retry .* bash until .*\+2 −0/);
    expect(frame).toMatch(/ralph [0-9a-f]{8} +Working on the tasks +0\/3/);
    expect(frame).toContain("◐ 1 retry ␛[31min\u{fffd}");
    expect(frame).toContain("● plan");
    expect(frame).toContain("◉ work ×2");
    expect(frame).toContain("○ 3 needs 1, 2");
    expect(frame).toMatch(/ live$/m);

    screen.keys("C-t");
    await screen.seen(/○ 3 +docs +needs 1, 2/);
    screen.keys("C-t");
    await screen.gone("in progress");

    // Back to where the work began: no worker yet, and marked as the past.
    screen.keys("S-Left");
    const past = await screen.seen("past · read-only");
    expect(past).toMatch(/node\.started work#1/);
    expect(past).not.toContain("bash until");
    screen.keys("Left");
    await screen.seen("node.finished plan#1");
    screen.keys("End");
    await screen.seen("bash until");

    screen.keys("Enter");
    await screen.seen("Do this one task");
    screen.keys("Right", "Right");
    await screen.seen("✓ write a.txt");
    screen.keys("Right");
    await screen.seen("+ two");
    screen.keys("Escape");
    await screen.gone("+ two");

    screen.keys("S-Left");
    await screen.seen("past · read-only");
    screen.keys("f");
    await screen.seen("This run stays as it is.");
    screen.keys("Enter");
    await screen.seen("another run works here");
    screen.keys("Enter");
    await screen.seen("Resumed here");
    await screen.seen(/◐ 2 キャッシュ +bash until/);

    // Leaving pauses the fork only.
    screen.keys("C-c");
    await screen.seen("once more leaves");
    screen.keys("C-c");
    await screen.seen("EXIT=0");
    const [, forked] = /Paused run (\S+)\. Resume with: atomic resume/.exec(await screen.seen("Paused run")) ?? [];
    world.write("project/go", "");
    const ended = await run.ended;
    expect(ended.exitCode).toBe(0);
    const { stdout } = await world.run(["sessions", "show", forked ?? "", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "paused" });
  },
);

test.skipIf(tmuxProgram === null)(
  "the list of runs puts the one that asks first; it is answered, resumed and cancelled from there",
  async () => {
    const world = createWorld();
    await world.run(["run", "ask", "--script", world.script("nothing", [{ steps: [{ say: "ok" }] }])]);
    const live = world.ralph();
    await live.seen("Working on the tasks");
    const screen = await world.open();
    screen.keys("F4");
    const frame = await screen.seen("asks you");
    const [, first, second] = /❯ (\? ask .*)\n(.*)/.exec(frame) ?? [];
    expect(first).toContain("Which colour?");
    expect(second).toContain("◐ ralph");

    screen.keys("a");
    await screen.seen("1 red");
    screen.keys("2");
    await screen.seen("The answer is kept for when the run is resumed.");
    screen.keys("r");
    await screen.seen("another run works here");
    screen.keys("Enter");
    await screen.seen("Resumed here");
    await screen.seen("Which size?");
    screen.keys("a");
    await screen.seen("decline: take the default");
    screen.type("large");
    screen.keys("Enter");
    await screen.seen("✓ ask");

    screen.keys("/");
    screen.type("ralph");
    await screen.gone("✓ ask");
    screen.keys("Enter", "p");
    await screen.seen("Paused.");
    expect((await live.ended).exitCode).not.toBe(0);
    screen.keys("x");
    await screen.seen("ends for good");
    screen.keys("Enter");
    await screen.seen("Cancelled.");
    await screen.seen("■ ralph");
  },
);

test.skipIf(tmuxProgram === null)(
  "a question of the chat's workflow that is answered in mission control is asked in the chat no longer",
  async () => {
    const world = createWorld();
    const screen = await world.open();
    screen.type("/ask ");
    screen.keys("Enter");
    await screen.seen(/tab to answer|esc later/);
    screen.keys("F3");
    await screen.seen(/\? Which colour\? +a answers/);
    screen.keys("a");
    await screen.seen("1 red");
    screen.keys("2");
    await screen.seen(/\? Which size\? +a answers/);
    screen.keys("F2");
    // What was asked and answered stays in the conversation.
    const frame = await screen.seen(/blue[^]*\? Which size\?[^]*(tab to answer|esc later)/);
    expect(frame).toMatch(/\? Which colour\?\n +blue/);
    expect(frame).not.toContain("1 red");
    screen.keys("Tab");
    await screen.seen("esc later");
    screen.type("large");
    screen.keys("Enter");
    const done = await screen.seen("ask workflow completed successfully.");
    expect(done).toMatch(/\? Which size\?\n +large/);
  },
);

test.skipIf(tmuxProgram === null)(
  "a workflow of the chat that would work beside another run asks first, and is started only when it may",
  async () => {
    const world = createWorld();
    const live = world.ralph();
    await live.seen("Working on the tasks");
    const screen = await world.open();
    const start = async (): Promise<string> => {
      screen.type("/ask ");
      screen.keys("Enter");
      return screen.seen("works in this folder right now");
    };
    expect(await start()).not.toContain("Started Ask session");
    screen.keys("C-c");
    await screen.seen("■ Nothing was started.");
    await screen.gone("works in this folder right now");
    await start();
    screen.keys("Tab", "1");
    await screen.seen("? Which colour?");
    await screen.seen(/Started Ask session: \S{36}/);
  },
);

test.skipIf(tmuxProgram === null)(
  "a run that is removed while it is watched says so, and what was read stays",
  async () => {
    const world = createWorld();
    await world.run(["run", "ask", "--script", world.script("nothing", [{ steps: [{ say: "ok" }] }])]);
    const id = world.onlyRun();
    const screen = await world.open({ columns: 60, rows: 15 });
    screen.keys("F3");
    await screen.seen("? Which colour?");
    await screen.seen("◉ colour");
    await world.run(["sessions", "rm", id]);
    const frame = await screen.seen("✗ ");

    expect(frame).toContain("◉ colour");
    screen.keys("F4");
    await screen.seen("No runs yet.");
  },
);

test.skipIf(tmuxProgram === null)(
  "a torn record is named in the list and in mission control, and the rest works",
  async () => {
    const world = createWorld();
    await world.run(["run", "ask", "--script", world.script("nothing", [{ steps: [{ say: "ok" }] }])]);
    const id = world.onlyRun();
    const journal = join(world.sessions, id, "journal.sqlite");
    writeFileSync(journal, Buffer.alloc(statSync(journal).size, 0x5a));
    const screen = await world.open();
    screen.keys("F4");
    await screen.seen("✗ ?");
    await screen.seen("unreadable");
    screen.keys("Enter");
    const torn = await screen.seen("✗ The database");
    expect(torn).toContain("unreadable");
    screen.keys("F2");
    screen.type("still here");
    await screen.seen("❯ still here");
  },
);

test.skipIf(tmuxProgram === null)("keys are rebound on every screen by the setting", async () => {
  const world = createWorld();
  await world.run(["config", "set", "keys", "showRuns=f9,filter=ctrl+f"]);
  const screen = await world.open();
  screen.keys("F9");
  await screen.seen("No runs yet.");
  screen.keys("?");
  expect(await screen.seen("filter by what you type")).toMatch(/\^F +filter by what you type/);
  screen.keys("Escape");
  await screen.gone("filter by what you type");
  screen.keys("C-f");
  screen.type("x");
  await screen.seen("filter x");
});
