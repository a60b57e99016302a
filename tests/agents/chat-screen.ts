// The end-to-end cases of 001 §8.3, 002 §8.2 and 003 §8.3, typed into the chat screen: the real program in tmux, a real
// agent program, a model on loopback. One walk is one test; each keeps its screens open as long as it can, because some
// agents take seconds to start.

import { setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../src/testing/contracts/agent-harness.ts";
import { createCliWorld } from "../cli/cli-world.ts";
import { createTmux, type Pane, tmuxProgram } from "../tui/tmux.ts";
import { ralphWalks } from "./chat-ralph-walks.ts";
import { talkWalks } from "./chat-talk-walks.ts";
import type { ChatPlace } from "./chat-walk.ts";
import { workflowWalks } from "./chat-workflow-walks.ts";
import type { RalphProgram } from "./ralph-programs.ts";
import { createRalphWorld, startLimitMs } from "./ralph-world.ts";

/** Generous: a walk starts a program several times, which takes some of them ten seconds on a busy machine. */
const caseLimitMs = 480_000;
const answerLimitMs = 180_000;

export function chatScreenSuite(program: RalphProgram): void {
  setDefaultTimeout(caseLimitMs);
  const world = createRalphWorld(program);
  const { program: atomic, env } = createCliWorld();
  const tmux = createTmux({ root: world.root, project: world.project, env });

  async function send(chat: Pane, line: string): Promise<void> {
    chat.type(line);
    // The end of what was typed: a long line wraps.
    await chat.seen(line.trimEnd().slice(-12));
    chat.keys("Enter");
  }

  const place: ChatPlace = {
    world,
    program,
    async open(cwd, ...words) {
      const command = [atomic, "chat", "-a", program.kind, ...words];
      const pane = tmux.open(command, { cwd, env: world.env(), columns: 140, rows: 40 });
      // Agent programs compute beside it: the screen may come late too.
      const chat: Pane = {
        ...pane,
        seen: (text, limitMs = startLimitMs) => pane.seen(text, limitMs),
        gone: (text, limitMs = startLimitMs) => pane.gone(text, limitMs),
      };
      await chat.seen("? keys");
      return chat;
    },
    seen: (chat, text) => chat.seen(text, answerLimitMs),
    send,
    async leave(chat) {
      await send(chat, "/exit ");
      await chat.seen("EXIT=0");
    },
    status(run) {
      const file = join(world.sessions, run, "session.json");
      return (JSON.parse(readFileSync(file, "utf8")) as { status: string }).status;
    },
  };

  for (const { name, run } of [...ralphWalks, ...talkWalks, ...workflowWalks])
    test.skipIf(tmuxProgram === null)(`${program.kind}: ${name}`, () => run(place));

  test(`${program.kind}: the chats leave no process behind`, async () => {
    // The panes stay open after the program has ended.
    tmux.close();
    await eventually("no process of the suite is left", () => world.processes().length === 0, startLimitMs);
  });
}
