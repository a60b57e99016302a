// Processes that a command or an agent's program leaves in the background with its output in their hands. A run ends
// with the command, not with them, and they end with it.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFakeAgent } from "../support/fake-acp-agent.ts";
import { createCliWorld, patienceMs, poll } from "./cli-world.ts";

const world = createCliWorld();
const pidFile = join(world.root, "pid");
const keepPid = `echo $! > ${pidFile}`;

async function expectEnded(): Promise<void> {
  const pid = readFileSync(pidFile, "utf8").trim();
  const isRunning = (): boolean =>
    existsSync(`/proc/${pid}`) && !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  await poll(() => !isRunning() || undefined);
}

const done = { steps: [{ say: "Done.\nCOMPLETE" }] };

for (const [name, command] of [
  ["a background process", "sleep 600 &"],
  [
    "a background process that ignores SIGTERM",
    "(trap '' TERM; touch deaf; sleep 600; sleep 600) & while ! test -e deaf; do :; done;",
  ],
  ["a process that left the group", "setsid sleep 600 &"],
] as const) {
  test(
    `a check ends with its command although it leaves ${name}`,
    async () => {
      const script = world.script("done", [done]);
      const verify = `${command} ${keepPid}; true`;
      const run = await world.run(["ralph", "--yolo", "x", "-a", "scripted", "--script", script, "--verify", verify]);
      expect(run.exitCode).toBe(0);
      await expectEnded();
    },
    patienceMs,
  );
}

test(
  "an agent's command ends although it leaves a background process, and its output is whole",
  async () => {
    const bash = `sleep 600 & ${keepPid}; seq 1 20000 | tail -1`;
    const script = world.script("background", [{ steps: [{ bash, as: "last" }, { say: "${last}\nCOMPLETE" }] }]);
    const run = await world.run(["ralph", "--yolo", "x", "-a", "scripted", "--script", script, "--json"]);
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain("20000");
    await expectEnded();
  },
  patienceMs,
);

test(
  "an agent's program that dies while its tool holds its output open fails the turn at once",
  async () => {
    const command = writeFakeAgent(world.root, {
      on: {
        "session/prompt": `const tool = require("node:child_process").spawn("sleep", ["600"], { stdio: "inherit" });
          require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(tool.pid)); process.kill(process.pid, "SIGKILL")`,
      },
    });
    const words = ["ralph", "--yolo", "x", "-a", `acp:${command}`, "--max-iterations", "1", "--trust", "--json"];
    const events = (await world.run(words)).events();
    expect(events.find(({ type }) => type === "agent.turn-finished")).toMatchObject({ outcome: "failed" });
    expect(events.at(-1)?.type).toBe("run.paused");
    await expectEnded();
  },
  patienceMs,
);
