// What 001 §8.3 wants to see from end to end, typed into the chat screen: the real program in tmux, a real agent program,
// a model on loopback.

import { expect, setDefaultTimeout, test } from "bun:test";
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, poll } from "../cli/cli-world.ts";
import { createTmux, type Pane, tmuxProgram } from "../tui/tmux.ts";
import type { RalphProgram } from "./ralph-programs.ts";
import { promptOf, signs } from "./ralph-scenarios.ts";
import { createRalphWorld, startLimitMs } from "./ralph-world.ts";

const caseLimitMs = 240_000;
const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;

export function chatScreenSuite(program: RalphProgram): void {
  setDefaultTimeout(caseLimitMs);
  const world = createRalphWorld(program);
  const { program: atomic, env } = createCliWorld();
  const tmux = createTmux({ root: world.root, project: world.project, env });
  const skip = test.skipIf(tmuxProgram === null);

  async function open(cwd: string): Promise<Pane> {
    const chat = tmux.open([atomic, "chat", "-a", program.kind], { cwd, env: world.env(), columns: 140, rows: 40 });
    await chat.seen("? keys", startLimitMs);
    return chat;
  }

  async function send(chat: Pane, line: string): Promise<void> {
    chat.type(line);
    // The end of what was typed: a long line wraps.
    await chat.seen(line.trimEnd().slice(-12));
    chat.keys("Enter");
  }

  async function leave(chat: Pane): Promise<void> {
    await send(chat, "/exit ");
    await chat.seen("EXIT=0");
  }

  for (const [key, name] of [
    ["Escape", "esc"],
    ["C-c", "ctrl-c"],
  ] as const) {
    skip(`${program.kind}: /ralph works the feature list off; ${key} pauses it, and --resume resumes it`, async () => {
      const project = world.newFeatures(`chat-${name}`, { rules: [], long: ["rules"] });
      const chat = await open(project);
      await send(chat, "/ralph --max-reviews 0");
      const started = await chat.seen(/Started Ralph session: \S+/, startLimitMs);
      const id = idPattern.exec(started)?.[0] ?? "";
      await poll(() => (existsSync(join(project, "started")) ? true : undefined), startLimitMs);
      chat.keys(key);
      await chat.seen(`Resume with: /ralph --resume ${id}`, startLimitMs);
      const session = (): { status: string } =>
        JSON.parse(readFileSync(join(world.sessions, id, "session.json"), "utf8")) as { status: string };
      expect(session().status).toBe("paused");

      await send(chat, `/ralph --resume ${id}`);
      await chat.seen("workflow completed successfully.", startLimitMs);
      expect(session().status).toBe("completed");
      expect(existsSync(join(project, signs.built))).toBe(true);
      await leave(chat);
    });
  }

  skip(`${program.kind}: --yolo without a limit ends by COMPLETE, with the promise in its prompt`, async () => {
    const project = world.newProject("chat-yolo");
    const chat = await open(project);
    const task = `Build a snake game in ${world.kit.language}. @@yolo:${project}`;
    await send(chat, `/ralph --yolo "${task}" --max-iterations 0 --verify "${world.kit.testCommand}"`);
    await chat.seen("workflow completed successfully.", startLimitMs);
    const prompts = world.asked(task).filter(({ step }) => step === 0);

    expect(prompts).toHaveLength(3);
    for (const { request } of prompts)
      assert.ok(promptOf(request).includes("end your answer with a last line that is exactly COMPLETE"));
    expect(existsSync(join(project, signs.played))).toBe(true);
    await leave(chat);
  });

  skip(`${program.kind}: /codebase-analyzer answers with its own instructions`, async () => {
    const project = world.newProject("chat-analyze");
    const chat = await open(project);
    const task = `How does the snake grow? @@analyze:${project}`;
    await send(chat, `/codebase-analyzer ${task}`);
    await chat.seen("The snake grows in", startLimitMs);

    assert.ok(JSON.stringify(world.asked(task)[0]?.body).includes("You find out how code works"));
    await leave(chat);
  });
}
