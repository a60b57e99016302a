// The agent of a first start, through the real program: from a flag, from the settings, found, or chosen. (With none the
// embedded one opens: first-start.test.ts.)

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { writeFakeAgent } from "../support/fake-acp-agent.ts";
import { startAtTerminal } from "./terminal.ts";

setDefaultTimeout(patienceMs);

const started: ReturnType<typeof startAtTerminal>[] = [];
afterAll(() => {
  for (const each of started) each.close();
});

/** `atomic`, where `bin` in the world is all there is beside the system's programs. */
function start(world: CliWorld, words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const terminal = startAtTerminal([world.program, ...words], {
    cwd: world.project,
    env: {
      ...world.env,
      PATH: `${join(world.root, "bin")}:/usr/bin:/bin`,
      XDG_DATA_HOME: join(world.root, "xdg"),
      ...env,
    },
  });
  started.push(terminal);
  return terminal;
}

/** A program that has a version and nothing else. */
function install(world: CliWorld, name: string): void {
  const lines = ["#!/bin/sh", 'case "$1" in', '--version) echo "99.0.0" ;;', "*) exit 1 ;;", "esac", ""];
  chmodSync(world.write(`bin/${name}`, lines.join("\n")), 0o755);
}

const ownModel = { COPILOT_PROVIDER_BASE_URL: "http://127.0.0.1:9", COPILOT_MODEL: "none" };

test("the agent of the settings is used, and one named by a flag instead of it", async () => {
  const world = createCliWorld();
  const script = world.script("chat", [{ steps: [{ say: "Played." }] }]);
  const agent = `acp:${writeFakeAgent(world.root, {})}`;
  expect((await world.run(["config", "set", "agent", agent])).exitCode).toBe(0);

  const set = start(world, ["chat", "--trust"]);
  await set.seen("? keys");
  set.type("hi\r");
  await set.seen("hello");
  set.type("/exit\r");
  expect(await set.ended).toBe(0);
  expect(set.bytes()).not.toContain("No coding agent was found");

  const named = start(world, ["-a", "scripted", "--script", script]);
  await named.seen("? keys");
  named.type("hi\r");
  await named.seen("Played.");
  named.type("/exit\r");
  expect(await named.ended).toBe(0);
  // It is for this time only.
  expect((await world.run(["config", "get", "agent"])).stdout).toContain("fake-agent");
});

test("the only agent that is found is used without a question, also one that needs no login", async () => {
  const world = createCliWorld();
  install(world, "copilot");
  const terminal = start(world, [], ownModel);
  await terminal.seen("? keys");
  terminal.type("/exit\r");
  expect(await terminal.ended).toBe(0);
  expect(terminal.bytes()).toContain("copilot");
  expect(terminal.bytes()).not.toContain("No coding agent was found");
  expect(terminal.bytes()).not.toContain("Which agent?");
  // The next start looks again.
  expect((await world.run(["config", "get", "agent", "--json"])).stdout).toContain('"origin": "default"');
});

test("of several agents one is chosen, once: the choice is kept in the settings", async () => {
  const world = createCliWorld();
  install(world, "claude");
  install(world, "copilot");
  const terminal = start(world, [], ownModel);
  await terminal.seen("Which agent?");
  await terminal.seen("1-2 [1]:");
  terminal.type("2\r");
  await terminal.seen("? keys");
  terminal.type("/exit\r");
  expect(await terminal.ended).toBe(0);
  expect((await world.run(["config", "get", "agent"])).stdout).toBe("copilot\n");

  const next = start(world, [], ownModel);
  await next.seen("? keys");
  next.type("/exit\r");
  expect(await next.ended).toBe(0);
  expect(next.bytes()).not.toContain("Which agent?");
});
