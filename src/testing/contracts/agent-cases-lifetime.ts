// Contract: no process outlives its session, its client, or a killed host.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AtomicError } from "../../lib/errors.ts";
import type { AgentCase } from "./agent-case.ts";
import { completeTurn, eventually, openSession, processesOf, readTurn, type AgentHarness } from "./agent-harness.ts";

export const lifetimeCases: readonly AgentCase[] = [
  {
    name: "closing a session while a shell tool runs interrupts the turn and leaves no process",
    needs: ["effects"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const turn = readTurn(session, harness.prompt("shell-long", folder));
      await eventually("the tool runs", () => existsSync(join(folder, "started")), 60_000);
      await eventually("its process is seen", () => processesOf(`${folder}/started`).length > 0);
      await session.close();
      const { end } = await turn;
      assert.ok(end.type === "turn.interrupted" && end.by === "closed", `ended as ${end.type}`);
      await eventually("no process works in the folder", () => processesOf(folder).length === 0);
    },
  },
  {
    name: "closing a client while a shell tool runs leaves no process",
    needs: ["effects"],
    async run(harness) {
      const folder = harness.newFolder();
      const client = await harness.newClient();
      const session = await client.open({ cwd: folder, ...harness.open });
      const turn = readTurn(session, harness.prompt("shell-long", folder));
      await eventually("the tool runs", () => existsSync(join(folder, "started")), 60_000);
      await client.close();
      assert.equal((await turn).end.type, "turn.interrupted");
      await eventually("no process works in the folder", () => processesOf(folder).length === 0);
    },
  },
  {
    name: "a closed session refuses further turns, and may be closed twice",
    needs: [],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      await completeTurn(session, harness.prompt("answer", folder));
      await Promise.all([session.close(), session.close()]);
      assert.throws(
        () => session.turn("more"),
        (error) => AtomicError.is(error, "AGENT_SESSION_CLOSED"),
      );
    },
  },
  {
    name: "what a host started ends with it when it is killed with SIGKILL",
    needs: ["effects"],
    async run(harness) {
      const folder = harness.newFolder();
      await killHost(harness, folder);
      await eventually("nothing of it is left", () => processesOf(folder).length === 0);
    },
  },
  {
    name: "what a host killed with SIGKILL left is ended at the next start",
    needs: ["effects"],
    async run(harness) {
      const folder = harness.newFolder();
      await killHost(harness, folder);
      await harness.reap();
      // Killed processes may take a moment to end, and a watcher may already be ending some of them.
      await eventually("nothing of it is left", () => processesOf(folder).length === 0);
    },
  },
];

/** Starts a turn with a tool that runs forever in a separate process, and kills that process. */
async function killHost(harness: AgentHarness, folder: string): Promise<void> {
  const command = harness.hostCommand(folder, harness.prompt("shell-long", folder));
  assert.ok(command !== undefined, "an agent with effects runs in a host that can be killed");
  const host = spawn(command.file, command.args, { env: command.env, stdio: ["ignore", "ignore", "inherit"] });
  const exited = new Promise((resolve) => host.once("exit", resolve));
  await eventually("the tool runs", () => existsSync(join(folder, "started")), 60_000);
  await eventually("its process is seen", () => processesOf(`${folder}/started`).length > 0);
  host.kill("SIGKILL");
  await exited;
}
