// The first start on a machine without any agent: the embedded one answers and says how to install another.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { startAtTerminal } from "./terminal.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const started: ReturnType<typeof startAtTerminal>[] = [];
afterAll(() => {
  for (const each of started) each.close();
});

test("without an agent the embedded one opens, and nothing is kept in the settings", async () => {
  const terminal = startAtTerminal([world.program], {
    cwd: world.project,
    env: { ...world.env, PATH: "/usr/bin:/bin", XDG_DATA_HOME: join(world.root, "xdg") },
  });
  started.push(terminal);
  await terminal.seen("No coding agent was found.");
  terminal.type("hi\r");
  await terminal.seen("npm install -g opencode-ai");
  terminal.type("/exit\r");

  expect(await terminal.ended).toBe(0);
  expect((await world.run(["config", "get", "agent"])).stdout).not.toContain("scripted");
});
