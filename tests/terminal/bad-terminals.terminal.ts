// Terminals and pipes that break, change or can't draw, while a run works in them.

import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs, poll } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "../tui/tmux.ts";
import { createPtys } from "./pty.ts";
import { hasColours } from "./terminal-screen.ts";

setDefaultTimeout(2 * patienceMs);

const limitMs = 45_000;
const spinner = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;

interface Scene extends CliWorld {
  /** Words of a run of ralph over `count` tasks that wait for a gate. */
  words(count: number, ...more: readonly string[]): readonly string[];
  /** Lets them continue. */
  allow(): void;
  status(): Promise<object>;
}

function prepare(): Scene {
  const world = createCliWorld();
  const gate = join(world.root, "gate");
  // Fifty workers that look more often would keep the machine busy with looking.
  const wait = { bash: `until test -e '${gate}'; do sleep 0.3; done` };
  const script = world.script("wait", [{ steps: [wait, { say: "done" }] }]);
  return {
    ...world,
    words(count, ...more) {
      const tasks = Array.from({ length: count }, (_, i) => ({ id: `${i + 1}`, title: `Task number ${i + 1}` }));
      world.write("project/research/tasks.json", { version: "1.0", tasks });
      const common = ["ralph", "-a", "scripted", "--script", script, "--max-reviews", "0", "--workers", String(count)];
      return [world.program, ...common, ...more];
    },
    allow: () => writeFileSync(gate, ""),
    async status() {
      const [first] = JSON.parse((await world.run(["sessions", "--json"])).stdout) as [object];
      return first;
    },
  };
}

function isGone(pid: number): true | undefined {
  try {
    process.kill(pid, 0);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Error) || !("code" in thrown) || thrown.code !== "ESRCH") throw thrown;
    return true;
  }
}

test("fifty workers leave the log room, and all of them finish", async () => {
  const scene = prepare();
  const terminal = createPtys(scene).open(scene.words(50, "--max-iterations", "0"), { columns: 80 });
  const frame = await terminal.seen("… and 40 more at work", limitMs);
  expect(frame.filter((row) => spinner.test(row))).toHaveLength(10);
  expect(frame.at(-1)).toContain("0 of 50 tasks");
  scene.allow();

  expect(await terminal.ended).toBe(0);
  const lines = terminal.screen.lines();
  expect(lines.filter((line) => /^✓ \d+ {2}Task number \d+ /.test(line))).toHaveLength(50);
  expect(lines.filter((line) => spinner.test(line))).toEqual([]);
});

test("a terminal that is closed pauses the run; it is resumed from another", async () => {
  const scene = prepare();
  const terminal = createPtys(scene).open(scene.words(2), { columns: 80 });
  await terminal.seen("0 of 2 tasks", limitMs);
  terminal.close();

  await poll(() => isGone(terminal.pid), limitMs);
  expect(await terminal.ended).toBe(129);
  expect(await scene.status()).toMatchObject({ status: "paused", reason: "interrupted" });
  scene.allow();
  expect(await scene.run(["resume"])).toMatchObject({ exitCode: 0 });
});

test("a terminal that is closed while it asks leaves the question open", async () => {
  const scene = prepare();
  scene.workflow(
    "asks",
    `import { askUserNode, graph } from "atomic/workflows";
export const name = "asks";
export const description = "Asks";
export const prompt = "none";
export default () => graph().start(askUserNode({ id: "sure", question: "Sure?" }));
`,
  );
  const terminal = createPtys(scene).open([scene.program, "run", "asks"], { columns: 80 });
  await terminal.seen('Your answer to "Sure?":', limitMs);
  terminal.close();

  await poll(() => isGone(terminal.pid), limitMs);
  expect(await terminal.ended).toBe(129);
  expect(await scene.status()).toMatchObject({ status: "paused", reason: "interrupted" });
  expect(await scene.run(["resume", "@last", "--answer", "sure=yes"])).toMatchObject({ exitCode: 0, stdout: "yes\n" });
});

test.skipIf(tmuxProgram === null)("a terminal that is resized keeps the log whole and no old live line", async () => {
  const scene = prepare();
  const pane = createTmux(scene).open(scene.words(3), { columns: 120, rows: 24 });
  await pane.seen(/Task number 3 .*\d+s\n.*0 of 3 tasks/, limitMs);
  for (const columns of [40, 160, 60, 100]) {
    pane.resize(columns, 24);
    // Drawn for the new width: the times of the workers stand at its right edge.
    const edge = new RegExp(`^${spinner.source} 1 {2}Task.{${columns - 20},}s$`, "m");
    await pane.seen(edge, limitMs);
  }
  // Never fewer for long: a frame may be looked at while it is drawn. A line left behind would be one too many for ever.
  await poll(() => pane.frame().match(new RegExp(spinner, "g"))?.length === 3 || undefined, limitMs);
  scene.allow();

  const end = await pane.seen("EXIT=0", limitMs);
  expect(end).not.toMatch(spinner);
  expect(end.match(/^✓ \d {2}Task number \d /gm)).toHaveLength(3);
  expect(end.match(/of 3 tasks · /g)).toBeNull();
});

test("a pipe whose reader leaves doesn't stop the run", async () => {
  const scene = prepare();
  scene.allow();
  const quoted = scene
    .words(2)
    .map((word) => `'${word}'`)
    .join(" ");
  const child = Bun.spawn(["bash", "-c", `${quoted} 2>&1 | head -n 1; echo "\${PIPESTATUS[0]}"`], {
    cwd: scene.project,
    env: scene.env,
    stdin: "ignore",
    stdout: "pipe",
  });
  const [first = "", code = ""] = (await new Response(child.stdout).text()).split("\n");
  expect(first).toStartWith("Started Ralph session: ");
  expect(code).toBe("0");
  expect(await scene.status()).toMatchObject({ status: "completed" });
});

test("following commands end when their reader leaves, while the run continues", async () => {
  const scene = prepare();
  const says = Array.from({ length: 20 }, (_, i) => [{ say: `${i}` }, { bash: "sleep 0.05" }]).flat();
  const usage = { usage: { inputTokens: 1, outputTokens: 1, costUsd: 0 } };
  const script = scene.script("talks", [{ steps: [...says, usage] }]);
  const run = scene.start(["ralph", "--yolo", "Go on", "--script", script, "--max-stuck", "0"]);
  await poll(() => run.stderr().includes("iteration 2") || undefined, limitMs);
  for (const words of ["logs -f", "sessions transcript -f"]) {
    const child = Bun.spawn(["bash", "-c", `'${scene.program}' ${words} | head -n 1`], {
      cwd: scene.project,
      env: scene.env,
      stdin: "ignore",
      stdout: "pipe",
    });
    expect((await new Response(child.stdout).text()).split("\n")).toHaveLength(2);
    await child.exited;
  }
  expect(await scene.status()).toMatchObject({ status: "running" });
  run.signal("SIGINT");
  expect((await run.ended).exitCode).toBe(130);
});

test("a pipe that is full holds the run up, and loses nothing", async () => {
  const scene = prepare();
  scene.workflow(
    "long",
    `import { createNode, graph } from "atomic/workflows";
export const name = "long";
export const description = "Prints more than a pipe holds";
export const prompt = "none";
export default () => graph().start(createNode({ id: "only", execute: async (ctx) => {
  for (let i = 0; i < 4000; i++) ctx.record({ type: "task.updated", task: { id: String(i), title: "x".repeat(60), status: "in_progress" } });
  return { stateUpdate: { outputs: { only: "done" } } };
} }));
`,
  );
  const gate = join(scene.root, "reader");
  const line = `'${scene.program}' run long 2>&1 | { until test -e '${gate}'; do sleep 0.05; done; cat; }`;
  const child = Bun.spawn(["bash", "-c", line], {
    cwd: scene.project,
    env: scene.env,
    stdin: "ignore",
    stdout: "pipe",
  });
  await poll(async () => (await scene.run(["sessions", "--json"])).stdout.includes("running") || undefined, limitMs);
  writeFileSync(gate, "");
  const printed = await new Response(child.stdout).text();
  expect(printed.match(/^→ \d+ {2}x{60}$/gm)).toHaveLength(4000);
  expect(printed).toEndWith("done\n");
});

test.each([
  ["TERM=dumb", { TERM: "dumb" }, false],
  ["CI=true", { CI: "true" }, false],
  ["NO_COLOR", { NO_COLOR: "1" }, true],
  ["FORCE_COLOR=0", { FORCE_COLOR: "0" }, true],
] as const)("with %s a terminal gets no colours", async (_, env, isDrawn) => {
  const scene = prepare();
  const terminal = createPtys(scene).open(scene.words(1), { columns: 80, env });
  // A run that ends before its first frame would draw nothing.
  if (isDrawn) await poll(() => terminal.bytes().includes("\x1b") || undefined, limitMs);
  scene.allow();
  expect(await terminal.ended).toBe(0);
  const bytes = terminal.bytes();
  expect(hasColours(bytes)).toBe(false);
  expect(bytes.includes("\x1b")).toBe(isDrawn);
  expect(terminal.screen.text()).toContain("✓ 1  Task number 1  (1 of 1 task");
});

test("with CI=true a question pauses the run instead of waiting for an answer", async () => {
  const scene = prepare();
  const script = scene.script("asks", [{ steps: [{ ask: { question: "Which one?" } }, { say: "done" }] }]);
  const words = [scene.program, "ralph", "--yolo", "Do it", "-a", "scripted", "--script", script];
  const terminal = createPtys(scene).open(words, { columns: 80, env: { CI: "true" } });
  expect(await terminal.ended).toBe(4);
  expect(terminal.screen.text()).toContain("It asks: Which one?");
});
