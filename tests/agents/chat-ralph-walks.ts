// Ralph in the chat screen, on a real agent program: 001 §8.3, but for its sub-agents (chat-talk-walks.ts).

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../cli/cli-world.ts";
import type { ChatWalk } from "./chat-walk.ts";
import { promptOf, signs, titles } from "./ralph-scenarios.ts";
import { startLimitMs } from "./ralph-world.ts";

const randomId = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;

/** What a session of a feature list leaves in its folder. */
const artifacts = [
  "session.json",
  "journal.sqlite",
  "tasks.json",
  "feature-list.json",
  "progress.txt",
  "checkpoints",
  "research",
  "logs/agent-calls.jsonl",
];

const atOnce: ChatWalk = {
  name: "two chats run /ralph at once in one folder; Esc and Ctrl+C pause one each, and --resume resumes it",
  async run({ world, open, send, seen, leave, status }) {
    const project = world.newFeatures("chat-at-once", { meet: [], long: ["meet"] });
    const other = world.writeFeatures(project, "other.json", { meet: [], hold: ["meet"] });
    const [first, second] = await Promise.all([open(project), open(project)]);
    const started = async (chat: typeof first): Promise<string> =>
      randomId.exec(await seen(chat, /Started Ralph session: \S{36}/))?.[0] ?? "";
    // The folder's own feature list, and one that is named. Each waits in its first task for the other.
    await send(first, "/ralph --max-reviews 0");
    const a = await started(first);
    await send(second, `/ralph --feature-list ${other} --max-reviews 0`);
    await seen(second, `Ralph session ${a.slice(0, 8)} works in this folder right now.`);
    second.keys("Tab", "1");
    const b = await started(second);
    assert.notEqual(a, b);
    for (const sign of ["started", signs.holding])
      await poll(() => (existsSync(join(project, sign)) ? true : undefined), startLimitMs);

    first.keys("Escape");
    await seen(first, `Resume with: /ralph --resume ${a}`);
    assert.deepEqual([status(a), status(b)], ["paused", "running"]);
    second.keys("C-c");
    await seen(second, `Resume with: /ralph --resume ${b}`);
    assert.equal(status(b), "paused");

    world.write(`chat-at-once/${signs.go}`, "");
    for (const [chat, run] of [
      [first, a],
      [second, b],
    ] as const) {
      await send(chat, `/ralph --resume ${run}`);
      await seen(chat, "workflow completed successfully.");
      assert.equal(status(run), "completed");
      for (const file of artifacts) assert.ok(existsSync(join(world.sessions, run, file)), file);
      // Commands ran without a permission question.
      const events = await world.events(run);
      assert.deepEqual(
        events.filter(({ type }) => type.startsWith("question.")),
        [],
      );
      const foreign = run === a ? titles.hold : titles.long;
      assert.ok(!JSON.stringify(events).includes(foreign), "nothing of the other run is on record");
    }
    assert.ok(existsSync(join(project, signs.built)));
    await Promise.all([leave(first), leave(second)]);
  },
};

const yolo: ChatWalk = {
  name: "--yolo without a limit needs no feature list and ends by COMPLETE, with the promise in its prompt",
  async run({ world, open, send, seen, leave }) {
    const project = world.newProject("chat-yolo");
    const chat = await open(project);
    const task = `Build a snake game in ${world.kit.language}. @@yolo:${project}`;
    await send(chat, `/ralph --yolo "${task}" --max-iterations 0 --verify "${world.kit.testCommand}"`);
    const run = randomId.exec(await seen(chat, /Started Ralph session: \S{36}/))?.[0] ?? "";
    await seen(chat, "workflow completed successfully.");
    const prompts = world.asked(task).filter(({ step }) => step === 0);

    assert.equal(prompts.length, 3);
    for (const { request } of prompts)
      assert.ok(promptOf(request).includes("end your answer with a last line that is exactly COMPLETE"));
    assert.ok(existsSync(join(project, signs.played)));
    assert.ok(!existsSync(join(world.sessions, run, "feature-list.json")));
    await leave(chat);
  },
};

export const ralphWalks: readonly ChatWalk[] = [atOnce, yolo];
