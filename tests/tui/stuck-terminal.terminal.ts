// A terminal that takes nothing more, or only a little at a time: a paused line, a pty that no program reads, a modem. The
// agents that work in the process of the screen continue, and what they did is shown when the terminal takes it again.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, poll } from "../cli/cli-world.ts";
import { leftOn, startAtTerminal } from "./terminal.ts";

setDefaultTimeout(2 * patienceMs);

const limitMs = 45_000;
const opened: ReturnType<typeof startAtTerminal>[] = [];
afterAll(() => {
  for (const each of opened) each.close();
});

const threeSteps = `import { agentNode, graph } from "atomic/workflows";
export const name = "steps";
export const description = "Three steps";
export const prompt = "none";
const step = (id: string) => agentNode({ id, prompt: "do it" });
export default () => graph().start(step("one")).then(step("two")).then(step("three"));
`;

/** A chat; what its agents do takes a while once the file `go` exists. */
async function openChat() {
  const world = createCliWorld();
  const wait = { bash: "until [ -e go ]; do sleep 0.05; done" };
  // More than what the system holds for a terminal.
  const stream = Array.from({ length: 20 }, (_, i) => [
    { say: `${i} ${"word ".repeat(800)}\n\n` },
    { waitMs: 50 },
  ]).flat();
  const script = world.script("chat", [{ steps: [{ say: "I begin.\n\n" }, wait, ...stream, { say: "That is all." }] }]);
  world.workflow("steps", threeSteps);
  const env = { ...world.env, XDG_DATA_HOME: join(world.root, "xdg") };
  const terminal = startAtTerminal([world.program, "chat", "--script", script], { cwd: world.project, env });
  opened.push(terminal);
  await terminal.seen("? keys");
  return {
    world,
    terminal,
    /** Lets the agents continue. */
    go: () => world.write("project/go", ""),
    /** Of the runs of the workflow, as another process sees them. */
    async statuses() {
      const { stdout } = await world.run(["sessions", "--all", "--json"]);
      const runs = JSON.parse(stdout) as { workflow: string; status: string }[];
      return runs.filter(({ workflow }) => workflow === "steps").map(({ status }) => status);
    },
  };
}

const onLinux = test.skipIf(process.platform !== "linux");

onLinux("a run in the chat finishes while no program reads the terminal, and is shown when one does", async () => {
  const { terminal, go, statuses } = await openChat();
  terminal.type("/steps \r");
  await terminal.seen("└");
  terminal.pause();
  await terminal.fill();
  go();
  await poll(async () => (await statuses()).includes("completed") || undefined, limitMs);
  expect(terminal.bytes()).not.toContain("completed successfully");

  terminal.resume();
  await terminal.seen("completed successfully");
  terminal.type("\x15/exit\r");
  expect(await terminal.ended).toBe(0);
  expect(leftOn(terminal.bytes())).toEqual([]);
});

onLinux.each([
  ["takes nothing", true],
  ["takes a few lines", false],
])("a signal ends the program while the terminal %s, and the chat is kept", async (_, isFull) => {
  const { world, terminal, go } = await openChat();
  go();
  terminal.type("hello\r");
  await terminal.seen("That is all.");
  const pid = await terminal.pid();
  terminal.pause();
  if (isFull) await terminal.fill();
  process.kill(pid, "SIGTERM");
  // Not its number: the parent that would take note of its end is stopped.
  await poll(() => (existsSync(`/proc/${pid}/exe`) ? undefined : true), limitMs);

  const { stdout } = await world.run(["sessions", "--all"]);
  expect(stdout).not.toContain("running");
});

onLinux("a slow line, which takes a little now and then, shows the end of a run", async () => {
  const { terminal, go, statuses } = await openChat();
  terminal.type("/steps \r");
  await terminal.seen("└");
  go();
  await poll(async () => {
    terminal.pause();
    await terminal.fill();
    const found = await statuses();
    terminal.resume();
    return found.includes("completed") || undefined;
  }, limitMs);

  await terminal.seen("completed successfully");
  terminal.type("/exit\r");
  expect(await terminal.ended).toBe(0);
  expect(leftOn(terminal.bytes())).toEqual([]);
});
