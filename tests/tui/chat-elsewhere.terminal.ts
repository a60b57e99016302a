// A chat seen from elsewhere: what was typed in another project, a chat that is read from another process, and one that
// is continued on the screen.

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, type Pane, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const skip = test.skipIf(tmuxProgram === null);

function setUp() {
  const world = createCliWorld();
  const script = world.script("chat", [
    { match: "bikeshed", steps: [{ say: "It is blue." }] },
    { steps: [{ say: "Hello." }] },
  ]);
  const tmux = createTmux(world);
  const open = async (words: readonly string[] = [], cwd = world.project): Promise<Pane> => {
    const chat = tmux.open([world.program, "chat", "--script", script, ...words], { cwd });
    await chat.seen("? keys");
    return chat;
  };
  return { world, open };
}

async function send(chat: Pane, line: string): Promise<void> {
  chat.type(line);
  await chat.seen(`❯ ${line}`);
  chat.keys("Enter");
}

async function leave(chat: Pane): Promise<void> {
  await send(chat, "/exit");
  await chat.seen("EXIT=0");
}

skip("Ctrl+R finds what was sent in another project by some of its letters", async () => {
  const { world, open } = setUp();
  const first = await open();
  await send(first, "paint the bikeshed");
  await first.seen("It is blue.");
  await leave(first);

  const elsewhere = join(world.root, "elsewhere");
  mkdirSync(elsewhere);
  const second = await open([], elsewhere);
  expect(second.frame()).not.toContain("bikeshed");
  second.keys("C-r");
  await second.seen("paint the bikeshed");
  second.type("pntbkshd");
  await second.seen("pntbkshd");
  await second.seen("paint the bikeshed");
  second.keys("Enter");
  await second.seen("❯ paint the bikeshed");
});

skip("a chat on the screen is listed and followed from another process, and continued by --continue and --resume", async () => {
  const { world, open } = setUp();
  const first = await open();
  await send(first, "hi");
  await first.seen("Hello.");
  const id = world.onlyRun();
  expect((await world.run(["sessions"])).stdout).toMatch(/running\s+chat/);

  const follower = world.start(["sessions", "logs", id, "--follow", "--json"]);
  await follower.seen("Hello.");
  await send(first, "paint the bikeshed");
  await follower.seen("It is blue.");
  await leave(first);
  expect((await follower.ended).exitCode).toBe(0);

  const second = await open(["--continue"]);
  await second.seen("It is blue.");
  await leave(second);
  const third = await open(["--resume", id]);
  expect(await third.seen("It is blue.")).toContain("Hello.");
  await leave(third);
  expect(world.onlyRun()).toBe(id);
});
