// Keys that tmux doesn't pass on, sent as a terminal with kitty keys sends them.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { startAtTerminal } from "./terminal.ts";

setDefaultTimeout(patienceMs);

const started: ReturnType<typeof startAtTerminal>[] = [];
afterAll(() => {
  for (const each of started) each.close();
});

test("Shift+Enter makes a new line where the terminal reports it, and Enter sends both lines", async () => {
  const world = createCliWorld();
  const script = world.script("chat", [{ match: "^§\ntwo$", steps: [{ say: "Both." }] }]);
  const terminal = startAtTerminal([world.program, "chat", "--script", script], {
    cwd: world.project,
    env: { ...world.env, XDG_DATA_HOME: join(world.root, "xdg") },
  });
  started.push(terminal);
  await terminal.seen("? keys");
  // One character: it is drawn in one piece, and then the screen listens.
  terminal.type("§");
  await terminal.seen("§");
  terminal.type("\x1b[13;2u");
  terminal.type("two");
  // Enter as such a terminal reports it.
  terminal.type("\x1b[13u");
  await terminal.seen("Both.");
  terminal.type("/exit\r");
  expect(await terminal.ended).toBe(0);

  const logs = await world.run(["sessions", "logs", world.onlyRun(), "--json"]);
  expect(logs.events().find(({ type }) => type === "chat.prompted")).toMatchObject({ line: "§\ntwo" });
});
