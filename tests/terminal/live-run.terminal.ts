// One run of ralph as a person sees it, in terminals of 40, 80 and 160 columns, with and without colours: a plan, three
// workers, a failing check, a question, a rate limit, Ctrl+C, resume, the summary.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createIsolationWorld, type IsolationWorld } from "../cli/isolation-world.ts";
import { patienceMs, poll } from "../cli/cli-world.ts";
import { createPtys, ctrlC, type Pty } from "./pty.ts";
import { hasColours } from "./terminal-screen.ts";

setDefaultTimeout(3 * patienceMs);

const widths = [40, 80, 160] as const;
const spinners = /^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /;
const limitMs = 45_000;
const usage = { usage: { inputTokens: 1500, outputTokens: 5, costUsd: 0.25 } };
const titles = ["Parse the header", "Write the 日本語の文書 \u001b[31mred\u202e", "Choose a colour"];

interface Scene {
  readonly world: IsolationWorld;
  readonly columns: number;
  readonly env: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  readonly open: ReturnType<typeof createPtys>["open"];
  /** Lets the workers that wait for this continue. */
  allow(gate: string): void;
}

function prepare(columns: number, env: Readonly<Record<string, string>>): Scene {
  const world = createIsolationWorld();
  const gate = (name: string): object => ({ bash: `while [ ! -e '${join(world.root, name)}' ]; do sleep 0.02; done` });
  const write = (path: string, content: string): object => ({ write: { path, content } });
  const tasks = titles.map((title, i) => ({
    id: String(i + 1),
    title,
    ...(i === 1 && { verify: "test -e right.txt" }),
  }));
  const script = world.plan(tasks, [
    {
      task: "1",
      times: 1,
      steps: [gate("limit"), { fail: { kind: "rate_limited", resetInMs: 4000, message: "try again later" } }],
    },
    { task: "1", match: "^You were interrupted", steps: [write("parser.txt", "1\n2\n"), usage, { say: "parsed" }] },
    { task: "1", steps: [{ bash: `touch '${join(world.root, "again")}'` }, gate("never")] },
    { task: "2", times: 1, steps: [gate("go"), write("docs.txt", "one\n"), usage, { say: "written" }] },
    { task: "2", steps: [write("docs.txt", "one\ntwo\n"), write("right.txt", "right\n"), usage, { say: "written" }] },
    {
      task: "3",
      steps: [
        gate("ask"),
        { ask: { question: "Which colour?", options: ["red", "blue"], freeText: false }, as: "colour" },
        write("colour.txt", "${colour}\n"),
        usage,
        { say: "chosen" },
      ],
    },
  ]);
  return {
    world,
    columns,
    env,
    open: createPtys(world).open,
    words: ["ralph", "Do it", "-a", "scripted", "--script", script, "--max-reviews", "0", "--workers", "3"],
    allow: (name) => writeFileSync(join(world.root, name), ""),
  };
}

/** The rows below the log: those of the workers, what is awaited, and the last one with the numbers. */
function liveRows(frame: readonly string[]): readonly string[] {
  const start = frame.findIndex((row) => spinners.test(row) || row.startsWith("… waiting"));
  return start === -1 ? [] : frame.slice(start);
}

function expectLive(frame: readonly string[], columns: number): readonly string[] {
  const rows = liveRows(frame);
  // One row too wide would wrap, and be a row more.
  for (const row of rows) expect(Bun.stringWidth(row)).toBeLessThan(columns);
  expect(rows.at(-1)).toMatch(/of 3 tasks/);
  return rows;
}

async function play({ world, columns, env, words, open, allow }: Scene): Promise<{ first: Pty; second: Pty }> {
  const first = open([world.program, ...words], { columns, env });

  // A plan, then three workers, each with its task and what it does.
  const working = expectLive(await first.seen(/⠹[^]*⠹[^]*⠹/, limitMs), columns);
  expect(working).toHaveLength(4);
  expect(working[0]).toMatch(columns === 40 ? /^. 1 {2}Parse the/ : /^. 1 {2}Parse the header +\S+ .*\ds$/);
  expect(working[1]).toContain(columns === 40 ? "2  Write the" : "2  Write the 日本語の文書");
  expect(working[3]).toContain("0 of 3 tasks · cost unknown".slice(0, 14));

  // A check that fails sends the task back; the second try passes.
  allow("go");
  await first.seen("  check test -e right.txt: exit 1 (task 2)", limitMs);
  await first.seen("  check test -e right.txt: exit 0 (task 2)", limitMs);
  expectLive(await first.seen("1 of 3 tasks ·", limitMs), columns);

  // A question hides the live lines while it is answered.
  allow("ask");
  const asked = await first.seen('Your answer to "Which colour?" (1 red, 2 blue):', limitMs);
  expect(liveRows(asked)).toEqual([]);
  first.type("purple\r");
  await first.seen('"purple" is not an option.', limitMs);
  first.type("2\r");
  await first.seen("2 of 3 tasks ·", limitMs);

  // A rate limit says how long it takes.
  allow("limit");
  const waiting = expectLive(await first.seen(/^… waiting for a rate limit, \ds left/m, limitMs), columns);
  expect(waiting.at(-2)).toStartWith("… waiting for a rate limit, ");

  // Ctrl+C, in the middle of the next try.
  await first.seen(/… waits for a rate limit[^]*⠹ 1 /, limitMs);
  await poll(() => existsSync(join(world.root, "again")) || undefined, limitMs);
  first.type(ctrlC);
  await first.seen("Pausing the Ralph session.", limitMs);
  expect(await first.ended).toBe(130);

  const second = open([world.program, "resume", "@last"], { columns, env });
  expect(await second.ended).toBe(0);
  return { first, second };
}

async function checkScene(scene: Scene): Promise<void> {
  const { world, columns } = scene;
  const { first, second } = await play(scene);
  const id = world.onlyRun();
  const log = first.screen.text();
  const end = second.screen.text();

  // The log is whole, each line once, and no live line stays behind.
  for (const screen of [first.screen, second.screen]) {
    expect(screen.lines().filter((line) => spinners.test(line) || /^[▓░]/.test(line))).toEqual([]);
    expect(screen.isPlain()).toBe(true);
  }
  expect(log.match(/^Started Ralph session: /gm)).toHaveLength(1);
  for (const line of ["→ 1  Parse the header", "✓ 3  Choose a colour  (2 of 3 tasks", "? Which colour?"])
    expect(first.screen.lines().filter((each) => each.startsWith(line))).toHaveLength(1);
  expect(log).not.toContain("\u202e");
  expect(log).toContain(`Paused Ralph session: ${id}`);
  expect(log).toEndWith(`Resume with: atomic resume ${id}\n`);

  expect(end).toStartWith(`Resumed Ralph session: ${id}`);
  expect(end).toContain("✓ 1  Parse the header  (3 of 3 tasks");
  const rows = second.screen.lines().slice(second.screen.lines().findIndex((line) => line.startsWith("Completed:")));
  // Nothing but the command is broken inside a word: the terminal breaks it itself, so that it is copied as one.
  for (const row of rows.filter((line) => line.startsWith("  ") && !line.includes(": atomic ")))
    expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns);
  // The rest of a line that was broken between words stands in further.
  const summary = rows
    .join("\n")
    .replaceAll(/\n {6}(?=\S)/g, " ")
    .split("\n");
  // A file of two tries is one file.
  expect(summary.slice(1, 6)).toEqual([
    expect.stringMatching(/^ {2}Edited by agents: 4 files, \+\d+ −\d+$/),
    "    docs.txt  +3 −0",
    "    right.txt  +1 −0",
    "    colour.txt  +1 −0",
    "    parser.txt  +2 −0",
  ]);
  expect(summary.slice(6, 10)).toEqual([
    "  atomic:planner (scripted): cost unknown, 0 tokens in, 0 out, 1 turn",
    expect.stringMatching(
      /^ {2}atomic:worker \(scripted\): \$1\.0000 and \d turns? of unknown cost, 6\.0k tokens in, 20 out, \d turns$/,
    ),
    expect.stringMatching(/^ {2}Time: \d+s from start to end, \d+s of agents' work$/),
    `  Details: atomic sessions show ${id}`,
  ]);
  for (const name of ["docs.txt", "right.txt", "colour.txt", "parser.txt"])
    expect(existsSync(join(world.project, name))).toBe(true);
  expect(readFileSync(join(world.project, "colour.txt"), "utf8")).toBe("blue\n");
  if (columns === 160) expect(second.screen.visible().every((row) => Bun.stringWidth(row) <= columns)).toBe(true);

  const wantsColours = scene.env["NO_COLOR"] === undefined;
  expect([first, second].map((each) => hasColours(each.bytes()))).toEqual([wantsColours, wantsColours]);
}

// At the same time: most of it is waiting.
for (const columns of widths)
  for (const env of [{}, { NO_COLOR: "1" }]) {
    const scene = prepare(columns, env);
    const name = `a terminal of ${columns} columns ${"NO_COLOR" in env ? "without" : "with"} colours`;
    test.concurrent(`${name} shows workers, checks, questions, limits, Ctrl+C, resume and a summary`, () =>
      checkScene(scene));
  }
